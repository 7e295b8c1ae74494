/** The change requests of a space, by status and by the users who worked on them. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { numbered } from '../review/actions.js'
import type { ChangeRequest } from '../review/request.js'
import { reviewWords } from '../review/words.js'
import { address, open, setQuery } from '../route.js'
import { Waiting } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Empty, Show, type Tone } from '../shell/notes.js'
import { inWords } from '../shell/time.js'
import { attempt } from '../shell/toast.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { fill, plural, words } from '../words/index.js'

const STATUSES = ['open', 'draft', 'merged', 'archived'] as const
type Status = (typeof STATUSES)[number]
const PAGE = 50
const MAX_DETAILED = 100
const list = '/v1/spaces/{spaceId}/change-requests' as const

/** The screen, for `/s/:space/c`. `?status=` and `?by=` filter. */
export function ChangeRequests({ space: spaceId = '' }: Readonly<Record<string, string>>) {
  const space = useSpace(spaceId)
  const w = reviewWords()
  if (!space.value) return <Waiting title={words().space.tabs.requests} data={[space]} />
  const create = async (): Promise<void> => {
    const made = await body(api.POST(list, { params: { path: { spaceId } }, body: {} }))
    open(`/s/${spaceId}/c/${made.number}`)
  }
  return (
    <SpaceFrame
      space={space.value}
      title={words().space.tabs.requests}
      tab="requests"
      main="pad"
      {...(space.value.permissions.edit
        ? {
            actions: (
              <button type="button" class="btn primary" onClick={() => attempt(create)}>
                <Icon name="plus" />
                {w.list.newRequest}
              </button>
            ),
          }
        : {})}
    >
      <List space={space.value} />
    </SpaceFrame>
  )
}

function List({ space }: { space: Space }) {
  const w = reviewWords().list
  const { query } = address.value
  const wanted = query.get('status')
  const status: Status = STATUSES.find((one) => one === wanted) ?? 'open'
  const contributor = query.get('by')
  const [limit, setLimit] = useState(PAGE)
  const requests = useData(`space/${space.id}/requests/${status}/${contributor ?? ''}/${limit}`, () =>
    body(
      api.GET(list, {
        params: {
          path: { spaceId: space.id },
          query: { status, limit, ...(contributor === null ? {} : { contributor }) },
        },
      }),
    ),
  )
  const details = useDetails(space.id, status, contributor, Math.min(limit, MAX_DETAILED))
  return (
    <div class="wide stack">
      <h1 class="vh">{fill(w.title, { space: space.title })}</h1>
      <div class="row wrap">
        <fieldset class="seg" aria-label={w.status}>
          {STATUSES.map((one) => (
            <StatusButton key={one} space={space} status={one} isOn={one === status} />
          ))}
        </fieldset>
        <span class="grow" />
        <By space={space} value={contributor} />
      </div>
      <Show data={requests}>
        {({ items, count, next }) =>
          items.length === 0 ? (
            <Empty icon="request" title={w.empty}>
              {w.emptyLead}
            </Empty>
          ) : (
            <>
              <p class="vh" role="status">
                {plural(w.shown, count)}
              </p>
              <ul class="list t panel">
                {items.map((request) => (
                  <Row key={request.id} space={space} request={request} details={details.get(request.id)} />
                ))}
              </ul>
              {next && (
                <button type="button" class="btn quiet full" onClick={() => setLimit(limit + PAGE)}>
                  {words().common.more}
                </button>
              )}
            </>
          )
        }
      </Show>
    </div>
  )
}

/** Loads the parts of the list that come later, because the server compares contents for them. */
function useDetails(
  spaceId: string,
  status: Status,
  contributor: string | null,
  limit: number,
): ReadonlyMap<string, ChangeRequest> {
  const { value } = useData(`space/${spaceId}/requests/${status}/${contributor ?? ''}/${limit}/details`, () =>
    body(
      api.GET(list, {
        params: {
          path: { spaceId },
          query: { status, limit, details: true, ...(contributor === null ? {} : { contributor }) },
        },
      }),
    ),
  )
  return new Map(value?.items.map((one) => [one.id, one]) ?? [])
}

function StatusButton({ space, status, isOn }: { space: Space; status: Status; isOn: boolean }) {
  const isCounted = status === 'open' || status === 'draft'
  const count = useData(isCounted ? `space/${space.id}/count/${status}` : null, () =>
    body(api.GET(list, { params: { path: { spaceId: space.id }, query: { status, limit: 0 } } })),
  ).value?.count
  return (
    <button type="button" aria-pressed={isOn} onClick={() => setQuery({ status: status === 'open' ? null : status })}>
      {reviewWords().list[status]} {count !== undefined && count > 0 && <span class="count">{count}</span>}
    </button>
  )
}

function By({ space, value }: { space: Space; value: string | null }) {
  const w = reviewWords().list
  const members = useData(`organization/${space.organization}/members`, () =>
    body(
      api.GET('/v1/orgs/{organizationId}/members', {
        params: { path: { organizationId: space.organization }, query: { limit: 1000 } },
      }),
    ),
  ).value
  return (
    <label class="row sm">
      <span class="muted">{w.by}</span>
      <select
        class="in"
        value={value ?? ''}
        onChange={(event) => setQuery({ by: event.currentTarget.value === '' ? null : event.currentTarget.value })}
      >
        <option value="">{w.anyone}</option>
        {members?.items.map(({ user }) => (
          <option key={user.id} value={user.id} selected={user.id === value}>
            {user.displayName}
          </option>
        ))}
      </select>
    </label>
  )
}

function Row({
  space,
  request,
  details,
}: {
  space: Space
  request: ChangeRequest
  details: ChangeRequest | undefined
}) {
  const w = reviewWords()
  const isMerged = request.status === 'merged'
  const about = numbered(isMerged ? w.list.about2 : w.list.about, request.number, {
    author: request.createdBy.displayName,
    time: inWords(isMerged ? (request.mergedAt ?? request.updatedAt) : request.updatedAt),
  })
  const state = stateOf(request, details)
  return (
    <li>
      <Icon name={isMerged ? 'merge' : 'request'} />
      <div class="grow">
        <a class="t" href={`/s/${space.id}/c/${request.number}`}>
          {request.subject === '' ? fill(w.crumb, { number: String(request.number) }) : request.subject}
        </a>
        <div class="d">
          {about}
          {details?.changedPages !== undefined && <> · {plural(w.list.pages, details.changedPages)}</>}
        </div>
        {details?.reviewers !== undefined && details.reviewers.length > 0 && <Reviewers of={details.reviewers} />}
      </div>
      <div class="row hide-s">
        {request.comments > 0 && (
          <Chip icon="comment">
            <span class="vh">{plural(w.list.comments, request.comments)}</span>
            <span aria-hidden="true">{request.comments}</span>
          </Chip>
        )}
        {state && (
          <Chip tone={state.tone} icon={state.icon}>
            {state.text}
          </Chip>
        )}
      </div>
    </li>
  )
}

const SHOWN_REVIEWERS = 4
const REVIEWER_STATES = {
  requested: ['', 'eye'],
  approved: ['good', 'check'],
  'changes-requested': ['wait', 'edit'],
  'earlier-approval': ['wait', 'clock'],
} as const

/** The reviewers of a change request with their states. */
function Reviewers({ of }: { of: NonNullable<ChangeRequest['reviewers']> }) {
  const w = reviewWords().list
  return (
    <ul class="row wrap t" aria-label={w.reviewers}>
      {of.slice(0, SHOWN_REVIEWERS).map(({ user, state }) => {
        const [tone, icon] = REVIEWER_STATES[state]
        return (
          <li key={user.id}>
            <Chip tone={tone} icon={icon}>
              {fill(w.reviewer[state], { name: user.displayName })}
            </Chip>
          </li>
        )
      })}
      {of.length > SHOWN_REVIEWERS && <li class="sm muted">{plural(w.moreReviewers, of.length - SHOWN_REVIEWERS)}</li>}
    </ul>
  )
}

function stateOf(
  request: ChangeRequest,
  details: ChangeRequest | undefined,
): { tone: Tone; icon: IconName; text: string } | null {
  const w = reviewWords().list
  if (request.status !== 'open') return null
  if (request.unmetRules.length > 0)
    return { tone: 'wait', icon: 'clock', text: plural(w.waits, request.unmetRules.length) }
  if (request.outdated) return { tone: '', icon: 'sync', text: w.outdated }
  // The reviewer's chip states it.
  return details?.reviewers?.some(({ state }) => state === 'changes-requested')
    ? null
    : { tone: 'good', icon: 'check', text: w.ready }
}
