/** The activity of a change request: reviews, comments, the merge, and the people who worked on it. */
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { type Comment, keyOf, pathOf, useComments, useReviews, type RequestView } from '../review/request.js'
import { RequestFrame } from '../review/request-frame.js'
import { plainText } from '../review/tree-text.js'
import { reviewWords } from '../review/words.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Avatar } from '../shell/people.js'
import { Time } from '../shell/time.js'
import { fill } from '../words/index.js'

/** The screen, for `/s/:space/c/:number/activity`. */
export const ChangeActivity = ({ space, number }: Readonly<Record<string, string>>) => (
  <RequestFrame space={space} number={number} tab="activity" main="pad">
    {(view) => <Activity view={view} />}
  </RequestFrame>
)

interface Entry {
  at: string
  icon: IconName
  text: string
}

const MAX_QUOTE = 120
const quoteOf = ({ body: text }: Comment): string => {
  const whole = plainText('document' in text ? text.document : null).trim()
  return whole.length > MAX_QUOTE ? `${whole.slice(0, MAX_QUOTE)}…` : whole
}

function Activity({ view: { place, request } }: { view: RequestView }) {
  const w = reviewWords().activity
  const { reviews = [] } = useReviews(place).value ?? {}
  const comments = useComments(place).value?.items ?? []
  const contributors = useData(`${keyOf(place)}/contributors`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors', {
        params: { path: pathOf(place), query: { limit: 1000 } },
      }),
    ),
  ).value
  const entries: Entry[] = [
    { at: request.createdAt, icon: 'request', text: fill(w.opened, { name: request.createdBy.displayName }) },
    ...reviews.flatMap((review): Entry[] => {
      const values = { name: review.reviewer.displayName, revision: review.revision.slice(0, 7) }
      const text = fill(review.status === 'approved' ? w.approved : w.changesRequested, values)
      return [
        { at: review.createdAt, icon: review.status === 'approved' ? 'check' : 'edit', text },
        ...(review.dismissedAt === undefined
          ? []
          : [{ at: review.dismissedAt, icon: 'x' as const, text: fill(w.dismissed, values) }]),
      ]
    }),
    ...comments.flatMap((comment): Entry[] => [
      {
        at: comment.postedAt,
        icon: 'comment',
        text: fill(w.commented, { name: comment.postedBy.displayName, text: quoteOf(comment) }),
      },
      ...(comment.resolvedAt === undefined || !comment.resolvedBy
        ? []
        : [
            {
              at: comment.resolvedAt,
              icon: 'check' as const,
              text: fill(w.resolved, { name: comment.resolvedBy.displayName, text: quoteOf(comment) }),
            },
          ]),
    ]),
    ...(request.mergedAt === undefined
      ? []
      : [
          {
            at: request.mergedAt,
            icon: 'merge' as const,
            text: fill(w.merged, { name: request.mergedBy?.displayName ?? '' }),
          },
        ]),
  ]
  entries.sort((a, b) => (a.at < b.at ? 1 : -1))
  return (
    <div class="wide stack l">
      <h2 class="vh">{reviewWords().tabs.activity}</h2>
      <ul class="list t panel">
        {entries.map(({ at, icon, text }) => (
          <li key={at + text}>
            <Icon name={icon} />
            <div class="grow">{text}</div>
            <span class="muted sm">
              <Time iso={at} />
            </span>
          </li>
        ))}
      </ul>
      {contributors && contributors.items.length > 0 && (
        <section class="stack s">
          <h3 class="h">{w.contributors}</h3>
          <ul class="stack s t sm">
            {contributors.items.map(({ displayName, email }) => (
              <li class="row" key={email}>
                <Avatar name={displayName} />
                {displayName}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}
