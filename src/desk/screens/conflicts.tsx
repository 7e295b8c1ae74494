/** Resolves the conflicts of an update, a merge or a sync: three sides and the result of each, by keyboard. */
import { useEffect, useMemo } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { session } from '../api/session.js'
import { ConflictRibbon, ConflictSide } from '../conflicts/around.js'
import { ConflictKeys } from '../conflicts/keys.js'
import { hostName } from '../conflicts/names.js'
import { ConflictSection } from '../conflicts/section.js'
import { useConflicts } from '../conflicts/use-conflicts.js'
import { ConflictWork } from '../conflicts/work.js'
import type { Parameters } from '../screen.js'
import { BlockIcons } from '../space/blocks.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { Empty, Failed, Note, Shape, Show } from '../shell/notes.js'
import { fill } from '../words/index.js'
import { conflictWords } from '../conflicts/words.js'

export function Conflicts({ space: spaceId = '', number = '', n = '1' }: Parameters) {
  const space = useSpace(spaceId)
  return <Show data={space}>{(found) => <Loaded key={number} space={found} number={number} at={Number(n) - 1} />}</Show>
}

const useSubject = (spaceId: string, number: string) =>
  useData(`space/${spaceId}/c/${number}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
        params: { path: { spaceId, changeRequestId: number } },
      }),
    ),
  )

function Loaded({ space, number, at }: { space: Space; number: string; at: number }) {
  const w = conflictWords()
  const user = session.value?.user.id ?? ''
  const work = useMemo(
    () => new ConflictWork(space.id, number, `${user}/${space.id}/${number}`),
    [space.id, number, user],
  )
  useEffect(() => void work.load(), [work])
  const request = useSubject(space.id, number)
  const screen = useConflicts(work, space, at)
  const state = work.state.value
  const subject = state?.host
    ? fill(w.syncWith, { host: hostName(state.host) })
    : request.value?.subject || fill(w.untitled, { number })
  const href = `/s/${space.id}/c/${number}`
  const stops = work.stops.value
  return (
    <SpaceFrame
      space={space}
      title={fill(w.title, { subject })}
      tab="requests"
      main="pad stack l"
      crumbs={[{ title: fill(w.request, { number }), href }]}
      ribbon={<ConflictRibbon screen={screen} title={fill(w.title, { subject })} href={href} />}
      side={state && state.count > 0 ? <ConflictSide screen={screen} space={space} number={number} /> : undefined}
      foot={stops.length > 0 ? <ConflictKeys host={state?.host} isWaiting={screen.isWaiting} /> : undefined}
    >
      <BlockIcons />
      <p class="vh" role="status">
        {screen.said.value}
      </p>
      {screen.failure.value !== null && (
        <Note tone="bad">
          <p>
            <b>{w.failed}</b> {screen.failure.value} {w.failedSafe}
          </p>
        </Note>
      )}
      {work.error.value && !state && <Failed error={work.error.value} retry={() => void work.load()} />}
      {!state && !work.error.value && <Shape />}
      {state && !space.permissions.edit && state.count > 0 && (
        <Note>
          <p>{w.readOnly}</p>
        </Note>
      )}
      {state && state.count > state.conflicts.length && (
        <Note tone="wait">
          <p>{fill(w.tooMany, { count: state.count, shown: state.conflicts.length })}</p>
        </Note>
      )}
      {state?.count === 0 && (
        <Empty
          icon="check"
          title={w.noneTitle}
          action={
            <a class="btn primary" href={href}>
              {w.toRequest}
            </a>
          }
        >
          {w.none}
        </Empty>
      )}
      {stops.map((stop, index) => (
        <ConflictSection key={`${stop.conflict.key} ${stop.part?.id}`} screen={screen} at={index} stop={stop} />
      ))}
    </SpaceFrame>
  )
}
