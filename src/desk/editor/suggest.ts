/** Turns the text of a writer who may only comment into suggestions: one for each block that they changed. */
import { api, body, type Schemas } from '../api/client.js'
import type { Place } from '../space/space.js'
import { type BlockEdit, editsBetween } from './merge.js'
import { loadSource, renderText } from './page-api.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

/** Maximum number of suggestions of one text. */
const MAX_SUGGESTIONS = 50

/**
 * Sends the text of the editor as suggestions in its change request. Throws `ApiError`; a repeated call goes on.
 * @param sent the suggestions that were sent before, and now
 * @returns whether something could not be sent: the settings of the page, or too many blocks
 */
export async function sendSuggestions(writing: Writing, sent: Set<string>): Promise<boolean> {
  const { input, text } = writing
  const place = writing.place.value
  const page = input.page.id
  const source = await loadSource(place, page)
  // Where both changed a block, the reviewer sees their text and mine.
  if (source.oid !== text.oid && text.receive(source.markdown, source.oid) === 'conflict')
    text.decide((text.pending?.conflicts ?? []).map(() => 'mine'))
  const mine = text.exact()
  const [changes, rendered] = await Promise.all([
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes/page/{pageId}', {
        params: { path: { ...pathOf(place), pageId: page } },
      }),
    ),
    renderText(place, page, mine, new AbortController().signal),
  ])
  const old = changes.blocks.flatMap(({ after }) => (after ? [after] : []))
  const now = rendered.blocks.map(({ lines: [from = 1, to = 1] }) => linesOf(mine, from, to))
  const edits = editsBetween(old, now)
  if (!edits) return true
  const some = edits.slice(0, MAX_SUGGESTIONS)
  for (const edit of some) {
    const name = JSON.stringify(edit)
    if (!sent.has(name)) await post(place, page, edit)
    sent.add(name)
  }
  const isSame = headOf(source.markdown, old[0]?.lines[0]) === headOf(mine, rendered.blocks[0]?.lines[0])
  return some.length < edits.length || !isSame
}

const pathOf = ({ spaceId, changeRequest = '' }: Place) => ({ spaceId, changeRequestId: changeRequest })

const linesOf = (text: string, from: number, to: number): string =>
  text
    .split('\n')
    .slice(from - 1, to)
    .join('\n')
    .replace(/\r$/, '')

/** The text before the first block: the front matter. */
const headOf = (text: string, first = 1): string => linesOf(text, 1, first - 1).trimEnd()

async function post(place: Place, page: string, { node, markdown }: BlockEdit): Promise<void> {
  const w = editorWords().refused
  const comment: Schemas['CreateComment'] = {
    body: { markdown: markdown === null ? w.removeBlock : w.suggestBody },
    page,
    node,
    ...(markdown === null ? {} : { suggestion: { markdown } }),
  }
  await body(
    api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
      params: { path: pathOf(place) },
      body: comment,
    }),
  )
}
