/** Imports pages into an existing space, at the top level or below a page. They go into a new change request. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { ChoiceField } from '../admin/form.js'
import { parameter } from '../admin/lists.js'
import type { AddressInput, Receiver } from '../admin/importing.js'
import { ImportForm } from '../admin/new-files.js'
import { adminWords } from '../admin/words.js'
import { Waiting } from '../shell/frame.js'
import { Nothing, Show } from '../shell/notes.js'
import { open } from '../route.js'
import { mayStart } from '../space/new-page.js'
import { keyOf, type Page, type Space, usePages, useSpace } from '../space/space.js'
import { SpaceFrame } from '../space/space-frame.js'
import { fill } from '../words/index.js'

const MAX_SUBJECT = 100

/** Creates the change request. Throws `ApiError`. */
async function begin(space: Space, name: string, pageId: string): Promise<Receiver> {
  const spaceId = space.id
  const subject = [...fill(adminWords().new.intoSpace.subject, { name })].slice(0, MAX_SUBJECT).join('')
  const made = await body(
    api.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: { subject } }),
  )
  const path = { spaceId, changeRequestId: made.id }
  const request = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const
  const fetch = async (input: AddressInput): Promise<string> => {
    const started =
      pageId === ''
        ? await body(api.POST(`${request}/content/import`, { params: { path }, body: input }))
        : await body(
            api.POST(`${request}/content/page/{pageId}/import`, { params: { path: { ...path, pageId } }, body: input }),
          )
    return started.import
  }
  return {
    space: spaceId,
    path: `/v1/spaces/${spaceId}/change-requests/${made.id}/content${pageId === '' ? '' : `/page/${pageId}`}/import`,
    fetch,
    keep: async () => {
      await reload(keyOf({ spaceId }))
      open(`/s/${spaceId}/c/${made.number}`)
    },
    drop: async () => {
      await body(api.PATCH(request, { params: { path }, body: { status: 'archived' } }))
    },
  }
}

/** The pages that can have subpages, with their depth as indentation. */
const places = (pages: readonly Page[], depth = 0): (readonly [id: string, title: string])[] =>
  pages.flatMap((page) => [
    ...(page.type === 'document' || page.type === 'group'
      ? [[page.id, `${'\u2003'.repeat(depth)}${page.title}`] as const]
      : []),
    ...places(page.pages, depth + 1),
  ])

/** The screen, for `/s/:space/import`. `?below=` names the page. */
export function ImportScreen({ space: spaceId = '' }: { space?: string }) {
  const space = useSpace(spaceId)
  if (!space.value) return <Waiting title={adminWords().new.import} data={[space]} />
  const title = fill(adminWords().new.intoSpace.title, { space: space.value.title })
  return (
    <SpaceFrame space={space.value} title={title} tab="pages">
      {mayStart(space.value) ? <Import space={space.value} title={title} /> : <Nothing />}
    </SpaceFrame>
  )
}

function Import({ space, title }: { space: Space; title: string }) {
  const w = adminWords().new.intoSpace
  const pages = usePages({ spaceId: space.id })
  const [below, setBelow] = useState(parameter('below') ?? '')
  return (
    <div class="mid stack l">
      <h1 class="title">{title}</h1>
      <p class="ink2">{w.help}</p>
      <ImportForm
        title={adminWords().new.choices.files.name}
        hint=""
        keepLabel={w.open}
        begin={(name) => begin(space, name, below)}
      >
        {() => (
          <Show data={pages}>
            {(all) => (
              <ChoiceField label={w.place} value={below} of={[['', w.top], ...places(all)]} onChange={setBelow} />
            )}
          </Show>
        )}
      </ImportForm>
    </div>
  )
}
