/** All comments of a change request, oldest first, with the text that they are about. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { type Comment, hrefOf, keyOf, pathOf, useComments } from '../review/request.js'
import { RequestFrame, type RequestView } from '../review/request-frame.js'
import { Composer, Thread } from '../review/threads.js'
import { reviewWords } from '../review/words.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { fill } from '../words/index.js'

/** The screen, for `/s/:space/c/:number/discussion`. */
export const ChangeDiscussion = ({ space, number }: Readonly<Record<string, string>>) => (
  <RequestFrame space={space} number={number} tab="discussion" main="pad">
    {(view) => <Discussion view={view} />}
  </RequestFrame>
)

function Discussion({ view }: { view: RequestView }) {
  const { place, space } = view
  const w = reviewWords().comment
  const [isWriting, setWriting] = useState(false)
  const send = async (markdown: string): Promise<void> => {
    await body(
      api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments', {
        params: { path: pathOf(place) },
        body: { body: { markdown } },
      }),
    )
    await reload(keyOf(place))
    setWriting(false)
  }
  return (
    <div class="form stack l">
      <h2 class="vh">{reviewWords().tabs.discussion}</h2>
      <Show data={useComments(place)}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="comment" title={w.none}>
              {w.noneLead}
            </Empty>
          ) : (
            items.map((comment) => (
              <section class="stack s" key={comment.id}>
                <Target view={view} comment={comment} />
                <Thread view={view} comment={comment} />
              </section>
            ))
          )
        }
      </Show>
      {space.permissions.comment &&
        (isWriting ? (
          <Composer label={w.new} send={w.send} onSend={send} onCancel={() => setWriting(false)} />
        ) : (
          <div>
            <button type="button" class="btn" onClick={() => setWriting(true)}>
              <Icon name="comment" />
              {w.add}
            </button>
          </div>
        ))}
    </div>
  )
}

/** The place that a comment is about, as a link to it. */
function Target({ view: { place }, comment: { target } }: { view: RequestView; comment: Comment }) {
  const w = reviewWords().comment
  const { page, node } = target
  if (!page) return <p class="sm muted">{w.general}</p>
  const text = fill(page.deleted ? w.onDeleted : w.onPage, { page: page.title })
  const anchor = /^n\d+/.exec(node?.id ?? '')?.[0]
  return (
    <p class="sm muted">
      {page.deleted ? (
        text
      ) : (
        <a href={hrefOf(place, `?page=${page.id}${anchor === undefined ? '' : `#b-${anchor}`}`)}>{text}</a>
      )}{' '}
      {node && node.preview !== '' && fill(w.about, { text: node.preview })}
    </p>
  )
}
