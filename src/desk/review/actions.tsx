/** The actions of a change request in its ribbon: edit, review, merge, and those of the menu. */
import { useState } from 'preact/hooks'
import { ApiError, api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { useKey } from '../keyboard.js'
import { open } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { attempt, explain, toast } from '../shell/toast.js'
import { pagesWithText, usePages } from '../space/space.js'
import { fill } from '../words/index.js'
import { ReviewPanel } from './review-panel.js'
import { changedPages, hrefOf, pathOf, type RequestPlace, useChanges, type RequestView } from './request.js'
import { selectedPage } from './side.js'
import { reviewWords } from './words.js'

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const

/** Reloads all data of the space that a change of the change request can affect. */
export const reloadSpace = ({ spaceId }: RequestPlace): Promise<void> => reload(`space/${spaceId}`)

/** Runs an action, shows its result, and reloads the change request. A conflict opens the conflict screen. */
async function act(place: RequestPlace, action: () => Promise<unknown>, done: string): Promise<void> {
  const w = reviewWords().actions
  try {
    await action()
    toast(done)
  } catch (error) {
    const isConflict = error instanceof ApiError && error.status === 409 && /conflict/i.test(error.message)
    toast(isConflict ? w.conflicts : explain(error), { isBad: true })
    if (isConflict) open(hrefOf(place, '/conflicts/1'))
  }
  await reloadSpace(place)
}

/** Renders the buttons. */
export function RequestActions({
  view,
  seen,
  onSeen,
}: {
  view: RequestView
  /** The revision that is on the screen. */
  seen: string
  onSeen: () => void
}) {
  const { place, space, request } = view
  const w = reviewWords().actions
  const { permissions } = space
  const isActive = request.status === 'open' || request.status === 'draft'
  const edit = useEditor(place)
  useKey('e', isActive && permissions.edit ? () => open(edit) : null)
  return (
    <>
      {isActive && permissions.edit && (
        <a class="btn hide-m" href={edit}>
          <Icon name="edit" />
          {w.edit}
        </a>
      )}
      {isActive && permissions.comment && <ReviewPanel view={view} seen={seen} onSeen={onSeen} />}
      {isActive && permissions.merge && request.status === 'open' && <Merge view={view} />}
      {request.status === 'draft' && permissions.edit && (
        <button
          type="button"
          class="btn primary"
          onClick={() => act(place, () => patch(place, { status: 'open' }), reviewWords().status.open)}
        >
          {w.openForReview}
        </button>
      )}
      {request.status === 'archived' && permissions.edit && (
        <button
          type="button"
          class="btn"
          onClick={() => act(place, () => patch(place, { status: 'open' }), w.reopened)}
        >
          {w.reopen}
        </button>
      )}
      {request.status === 'merged' && permissions.edit && (
        <button type="button" class="btn" onClick={() => attempt(() => revert(place))}>
          <Icon name="undo" />
          {w.revert}
        </button>
      )}
      <More view={view} />
    </>
  )
}

/** Returns the address of the editor: for the page on the screen, or the first page of the space. */
function useEditor(place: RequestPlace): string {
  const changes = useChanges(place).value
  const page = changes && selectedPage(changedPages(changes.changes).filter(({ mark }) => mark !== 'deleted'))?.id
  const pages = usePages({ spaceId: place.spaceId, changeRequest: place.number }).value ?? []
  return hrefOf(place, `/p/${page ?? pagesWithText(pages)[0]?.id ?? ''}`)
}

/** Changes the subject, the description or the status. Throws `ApiError`. */
export const patch = (
  place: RequestPlace,
  change: { subject?: string; description?: string; status?: 'draft' | 'open' | 'archived' },
) => body(api.PATCH(at, { params: { path: pathOf(place) }, body: change }))

async function revert(place: RequestPlace): Promise<void> {
  const made = await body(api.POST(`${at}/revert`, { params: { path: pathOf(place) } }))
  await reloadSpace(place)
  open(hrefOf({ ...place, number: String(made.number) }))
  toast(reviewWords().actions.reverting)
}

function Merge({ view: { place, request } }: { view: RequestView }) {
  const w = reviewWords().actions
  const [isBusy, setBusy] = useState(false)
  const isOff = request.unmetRules.length > 0 || isBusy
  const merge = async (): Promise<void> => {
    if (isOff) return
    setBusy(true)
    await act(place, () => body(api.POST(`${at}/merge`, { params: { path: pathOf(place) } })), w.merged)
    setBusy(false)
  }
  return (
    <button
      type="button"
      class="btn primary"
      aria-disabled={isOff ? 'true' : undefined}
      aria-describedby={isOff ? 'why' : undefined}
      onClick={merge}
    >
      <Icon name="merge" />
      {w.merge}
    </button>
  )
}

function More({ view: { place, space, request } }: { view: RequestView }) {
  const w = reviewWords().actions
  const isActive = request.status === 'open' || request.status === 'draft'
  const edit = useEditor(place)
  const update = () => body(api.POST(`${at}/update`, { params: { path: pathOf(place) }, body: {} }))
  const archive = () => patch(place, { status: 'archived' })
  return (
    <>
      <button type="button" class="icb a-more" popovertarget="m-more" aria-label={w.more}>
        <Icon name="dots" />
      </button>
      <div class="pop menu" popover id="m-more" role="dialog" aria-label={w.more}>
        {isActive && space.permissions.edit && (
          <>
            <a class="only-m" href={edit} onClick={close}>
              <Icon name="edit" />
              {w.edit}
            </a>
            <MenuButton
              icon="sync"
              text={w.update}
              note={request.outdated ? '' : w.nothingNew}
              isOff={!request.outdated}
              onClick={() => act(place, update, w.updated)}
            />
          </>
        )}
        <MenuButton icon="copy" text={w.copyLink} onClick={() => void navigator.clipboard.writeText(location.href)} />
        {isActive && space.permissions.edit && (
          <>
            <hr />
            <MenuButton icon="trash" text={w.archive} onClick={() => act(place, archive, w.archived)} />
          </>
        )}
      </div>
    </>
  )
}

const close = (): void => document.getElementById('m-more')?.hidePopover()

const MenuButton = ({
  icon,
  text,
  note = '',
  isOff = false,
  onClick,
}: {
  icon: IconName
  text: string
  note?: string
  isOff?: boolean
  onClick: () => void
}) => (
  <button
    type="button"
    aria-disabled={isOff ? 'true' : undefined}
    onClick={() => {
      if (isOff) return
      close()
      onClick()
    }}
  >
    <Icon name={icon} />
    <span class="grow">{text}</span>
    {note !== '' && <small class="muted">{note}</small>}
  </button>
)

/** Returns a text with the number of a change request, without a thousands separator. */
export const numbered = (text: string, number: number, values: Record<string, string> = {}): string =>
  fill(text, { number: String(number), ...values })
