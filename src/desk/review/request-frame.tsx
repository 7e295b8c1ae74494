/** The frame of the screens of a change request: the path, and the ribbon with its state, tabs and actions. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { reload } from '../api/data.js'
import { Ribbon, Waiting } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, type Tone } from '../shell/notes.js'
import { SpaceFrame } from '../space/space-frame.js'
import { useSpace } from '../space/space.js'
import { fill } from '../words/index.js'
import { RequestActions } from './actions.js'
import { type ChangeRequest, changedPages, hrefOf, keyOf, useChanges, useRequest, type RequestView } from './request.js'
import { reviewWords } from './words.js'

export type RequestTab = 'changes' | 'discussion' | 'source' | 'preview' | 'activity'

const STATES: Record<ChangeRequest['status'], { icon: IconName; tone: Tone }> = {
  draft: { icon: 'edit', tone: '' },
  open: { icon: 'request', tone: 'on' },
  merged: { icon: 'merge', tone: 'good' },
  archived: { icon: 'trash', tone: '' },
}

/** The state of a change request. */
export const StatusChip = ({ status }: { status: ChangeRequest['status'] }) => (
  <Chip icon={STATES[status].icon} tone={STATES[status].tone}>
    {reviewWords().status[status]}
  </Chip>
)

/** Loads a change request and renders a screen of it in its frame. */
export function RequestFrame({
  space: spaceId = '',
  number = '',
  tab,
  side,
  main,
  children,
}: {
  space?: string | undefined
  number?: string | undefined
  tab: RequestTab
  side?: (view: RequestView) => ComponentChildren
  main?: string
  children: (view: RequestView) => ComponentChildren
}) {
  const place = { spaceId, number }
  const [space, request] = [useSpace(spaceId), useRequest(place)]
  const w = reviewWords()
  // The state may change while the screen is open: others review, comment and save.
  useEffect(() => {
    const again = () => document.visibilityState === 'visible' && void reload(keyOf(place))
    document.addEventListener('visibilitychange', again)
    return () => document.removeEventListener('visibilitychange', again)
  }, [spaceId, number])
  if (!space.value || !request.value) return <Waiting title={w.tabs.label} data={[space, request]} />
  const view: RequestView = { place, space: space.value, request: request.value }
  const { subject } = request.value
  return (
    <SpaceFrame
      space={space.value}
      title={`#${request.value.number} ${subject}`}
      tab="requests"
      crumbs={[{ title: fill(w.crumb, { number: String(request.value.number) }), href: hrefOf(place) }]}
      ribbon={<RequestRibbon view={view} tab={tab} />}
      {...(side ? { side: side(view) } : {})}
      {...(main === undefined ? {} : { main })}
    >
      {children(view)}
    </SpaceFrame>
  )
}

function RequestRibbon({ view, tab }: { view: RequestView; tab: RequestTab }) {
  const { place, request } = view
  const w = reviewWords()
  const changes = useChanges(place).value
  const count = changes && changedPages(changes.changes).length
  // The screen was opened with this revision. A review names it.
  const [seen, setSeen] = useState(request.revision)
  const tabs: [RequestTab, string, number | undefined][] = [
    ['changes', '', count],
    ['discussion', '/discussion', request.comments],
    ['source', '/source', undefined],
    ['preview', '/preview', undefined],
    ['activity', '/activity', undefined],
  ]
  return (
    <Ribbon
      in="change"
      head={
        <>
          <a class="icb s" href={`/s/${place.spaceId}/c`} aria-label={w.all}>
            <Icon name="back" />
          </a>
          <h1>
            #{request.number} {request.subject}
          </h1>
          <StatusChip status={request.status} />
        </>
      }
      tabsLabel={w.tabs.label}
      tabs={tabs.map(([name, path, amount]) => (
        <a key={name} href={hrefOf(place, path)} aria-current={name === tab ? 'page' : undefined}>
          {w.tabs[name]}
          {amount !== undefined && amount > 0 && <span class="count">{amount}</span>}
        </a>
      ))}
      end={<RequestActions view={view} seen={seen} onSeen={() => setSeen(request.revision)} />}
    />
  )
}
