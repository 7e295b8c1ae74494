/** About a change request: its description, what prevents the merge, and its reviewers. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { session } from '../api/session.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, type Tone } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { inWords } from '../shell/time.js'
import { attempt } from '../shell/toast.js'
import { fill, plural, words } from '../words/index.js'
import { patch } from './actions.js'
import { keyOf, pathOf, useBrokenLinks, useReviews, type RequestView } from './request.js'
import { plainText, TreeText } from './tree-text.js'
import { reviewWords } from './words.js'

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const

/** Renders the three sections. */
export const Brief = ({ view }: { view: RequestView }) => (
  <section class="brief" aria-label={reviewWords().brief.label}>
    <Description view={view} />
    <Rules view={view} />
    <Reviewers view={view} />
  </section>
)

function Description({ view: { place, space, request } }: { view: RequestView }) {
  const w = reviewWords().brief
  const [isEditing, setEditing] = useState(false)
  const time = inWords(request.createdAt)
  return (
    <section class="stack s">
      <div class="row">
        <h2 class="h grow">{w.description}</h2>
        {space.permissions.edit && (
          <button type="button" class="btn small quiet" onClick={() => setEditing(true)}>
            <Icon name="edit" />
            {reviewWords().actions.edit}
          </button>
        )}
      </div>
      <div class="sm stack s">
        {request.description === null ? (
          <p class="muted">{w.noDescription}</p>
        ) : (
          <TreeText tree={request.description} />
        )}
      </div>
      <p class="sm muted">{fill(w.opened, { time, author: request.createdBy.displayName })}</p>
      {request.mergedAt !== undefined && (
        <p class="sm muted">
          {fill(request.mergedBy ? w.merged : w.mergedBySync, {
            time: inWords(request.mergedAt),
            author: request.mergedBy?.displayName ?? '',
          })}
        </p>
      )}
      {isEditing && <EditAbout view={{ place, space, request }} onClose={() => setEditing(false)} />}
    </section>
  )
}

function EditAbout({ view: { place, request }, onClose }: { view: RequestView; onClose: () => void }) {
  const w = reviewWords().brief
  const [subject, setSubject] = useState(request.subject)
  const [text, setText] = useState(paragraphs(request.description))
  const save = async (): Promise<void> => {
    const changed = text === paragraphs(request.description) ? {} : { description: text }
    if (!(await attempt(() => patch(place, { subject, ...changed })))) return
    await reload(keyOf(place))
    onClose()
  }
  return (
    <Dialog
      title={w.label}
      onClose={onClose}
      footer={
        <button type="button" class="btn primary" onClick={save}>
          {words().common.save}
        </button>
      }
    >
      <div class="stack">
        <Field label={w.subject}>
          {(attributes) => (
            <input
              class="in"
              maxLength={100}
              value={subject}
              onInput={(event) => setSubject(event.currentTarget.value)}
              {...attributes}
            />
          )}
        </Field>
        <Field label={w.description} help={w.descriptionHelp}>
          {(attributes) => (
            <textarea
              class="in"
              rows={8}
              maxLength={10_000}
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              {...attributes}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}

/** The paragraphs of a description as text to edit. */
const paragraphs = (tree: unknown): string =>
  ((tree as { nodes?: unknown[] } | null)?.nodes ?? []).map((node) => plainText(node)).join('\n\n')

function Rules({ view: { place, space, request } }: { view: RequestView }) {
  const w = reviewWords().brief
  const links = useBrokenLinks(place).value
  const broken = links?.stats.broken.changeRequest ?? 0
  const isActive = request.status === 'open' || request.status === 'draft'
  return (
    <section id="why">
      <h2 class="h">{w.rules}</h2>
      <ul class="rules t">
        {request.unmetRules.map(({ rule, message }) => (
          <Rule key={rule + message} tone="no" icon="clock" text={message} />
        ))}
        {isActive && request.unmetRules.length === 0 && <Rule tone="ok" icon="check" text={w.noRules} />}
        {isActive && !space.permissions.merge && <Rule tone="no" icon="lock" text={w.mayNotMerge} />}
        {request.comments > 0 && <Rule tone="no" icon="comment" text={plural(w.openComments, request.comments)} />}
        {isActive && (
          <Rule
            tone={request.outdated ? 'no' : 'ok'}
            icon={request.outdated ? 'sync' : 'check'}
            text={request.outdated ? w.outdated : w.current}
          />
        )}
        {links && (
          <Rule
            tone={broken > 0 ? 'bad' : 'ok'}
            icon={broken > 0 ? 'broken' : 'check'}
            text={broken > 0 ? plural(w.broken, broken) : w.noBroken}
          />
        )}
      </ul>
    </section>
  )
}

const Rule = ({ tone, icon, text }: { tone: 'ok' | 'no' | 'bad'; icon: IconName; text: string }) => (
  <li class={tone}>
    <Icon name={icon} />
    <span>{text}</span>
  </li>
)

type Review = Schemas['ChangeRequestReview']

/** Returns the newest review of each user. */
function newest(reviews: readonly Review[]): Review[] {
  const byUser = new Map<string, Review>()
  for (const review of reviews) {
    const known = byUser.get(review.reviewer.id)
    if (!known || known.createdAt < review.createdAt) byUser.set(review.reviewer.id, review)
  }
  return [...byUser.values()]
}

function Reviewers({ view }: { view: RequestView }) {
  const { place, space, request } = view
  const w = reviewWords().brief
  const [isAsking, setAsking] = useState(false)
  const { reviews = [], requested = [] } = useReviews(place).value ?? {}
  const waiting = requested.map(({ user }) => user)
  const decided = newest(reviews).filter(({ reviewer }) => !waiting.some(({ id }) => id === reviewer.id))
  const isActive = request.status === 'open' || request.status === 'draft'
  const nameOf = (user: Schemas['User']): string =>
    user.id === session.value?.user.id ? fill(w.you, { name: user.displayName }) : user.displayName
  return (
    <section class="stack s">
      <div class="row">
        <h2 class="h grow">{w.reviewers}</h2>
        {isActive && space.permissions.edit && (
          <button type="button" class="btn small quiet" onClick={() => setAsking(true)}>
            <Icon name="plus" />
            {w.ask}
          </button>
        )}
      </div>
      {decided.length + waiting.length === 0 && <p class="sm muted">{w.noReviewers}</p>}
      <ul class="stack s t sm">
        {decided.map((review) => (
          <li class="row" key={review.id}>
            <Avatar name={review.reviewer.displayName} />
            <span class="grow">{nameOf(review.reviewer)}</span>
            <ReviewChip review={review} />
          </li>
        ))}
        {waiting.map((user) => (
          <li class="row" key={user.id}>
            <Avatar name={user.displayName} />
            <span class="grow">{nameOf(user)}</span>
            <Chip tone="on" icon="eye">
              {user.id === session.value?.user.id ? w.yourTurn : w.waiting}
            </Chip>
          </li>
        ))}
      </ul>
      {isAsking && <AskReviewers view={view} known={waiting.map(({ id }) => id)} onClose={() => setAsking(false)} />}
    </section>
  )
}

/** The state of a review. An approval of an earlier revision is shown as such. */
export function ReviewChip({ review }: { review: Review }) {
  const w = reviewWords().brief
  const [tone, icon, text]: [Tone, IconName, string] =
    review.dismissedAt !== undefined
      ? ['', 'x', w.dismissed]
      : review.status === 'changes-requested'
        ? ['wait', 'edit', w.changesRequested]
        : review.stale
          ? ['wait', 'clock', w.stale]
          : ['good', 'check', w.approved]
  return (
    <Chip tone={tone} icon={icon}>
      {text}
    </Chip>
  )
}

function AskReviewers({
  view: { place, space, request },
  known,
  onClose,
}: {
  view: RequestView
  known: readonly string[]
  onClose: () => void
}) {
  const w = reviewWords().brief
  const [chosen, setChosen] = useState<readonly string[]>([])
  const members = useData(`organization/${space.organization}/members`, () =>
    body(
      api.GET('/v1/orgs/{organizationId}/members', {
        params: { path: { organizationId: space.organization }, query: { limit: 1000 } },
      }),
    ),
  ).value
  const others = (members?.items ?? []).filter(
    ({ user }) => user.id !== request.createdBy.id && !known.includes(user.id),
  )
  const send = async (): Promise<void> => {
    const asked = await attempt(() =>
      body(api.POST(`${at}/requested-reviewers`, { params: { path: pathOf(place) }, body: { users: [...chosen] } })),
    )
    if (!asked) return
    await reload(keyOf(place))
    onClose()
  }
  return (
    <Dialog
      title={w.askTitle}
      onClose={onClose}
      footer={
        <button
          type="button"
          class="btn primary"
          aria-disabled={chosen.length === 0}
          onClick={() => chosen.length > 0 && send()}
        >
          {w.askSend}
        </button>
      }
    >
      <p class="help">{w.askHelp}</p>
      {members && others.length === 0 && <p class="muted">{w.nobodyToAsk}</p>}
      <ul class="stack s t">
        {others.map(({ user }) => (
          <li key={user.id}>
            <label class="row">
              <input
                type="checkbox"
                checked={chosen.includes(user.id)}
                onChange={(event) =>
                  setChosen(
                    event.currentTarget.checked ? [...chosen, user.id] : chosen.filter((one) => one !== user.id),
                  )
                }
              />
              <Avatar name={user.displayName} />
              {user.displayName}
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
