/** The items that wait for the user, with the next step of each. */
import { useEffect } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { type Loaded, reload, useData } from '../api/data.js'
import { address } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { inWords } from '../shell/time.js'
import { fill, words } from '../words/index.js'

type WaitingItem = Schemas['Waiting']['items'][number]

/** Loads the items that wait for the user. */
export const useWaiting = (): Loaded<Schemas['Waiting']> =>
  useData('waiting', () => body(api.GET('/v1/user/waiting', {})))

const ICONS: Record<WaitingItem['type'], IconName> = {
  conflict: 'warn',
  sync_failed: 'sync',
  review: 'eye',
  suggestions: 'edit',
  changes_requested: 'edit',
  comments: 'comment',
  ready: 'merge',
  draft: 'edit',
}

export function WaitingList({ waiting }: { waiting: Loaded<Schemas['Waiting']> }) {
  const w = words().home
  const count = waiting.value?.items.length ?? 0
  const isWanted = address.value.hash === 'waiting'
  useEffect(() => {
    if (isWanted && waiting.value) document.getElementById('waiting')?.focus()
  }, [isWanted, waiting.value !== undefined])
  return (
    <section aria-labelledby="waiting">
      <div class="row">
        <h2 class="h grow" id="waiting" tabIndex={-1}>
          {w.waiting} {count > 0 && <span class="count hot">{count}</span>}
        </h2>
        <span class="sm muted hide-s">
          <kbd>G</kbd> <kbd>W</kbd>
        </span>
      </div>
      <div class="panel">
        <Show data={waiting} lines={3} retry={() => void reload('waiting')}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="check" title={w.nothingWaits}>
                {w.nothingWaitsLead}
              </Empty>
            ) : (
              <ul class="list t">
                {items.map((item, at) => (
                  <Item key={item.urls.app + item.type} item={item} isFirst={at === 0} />
                ))}
              </ul>
            )
          }
        </Show>
      </div>
    </section>
  )
}

function Item({ item, isFirst }: { item: WaitingItem; isFirst: boolean }) {
  const w = words().home
  const { type, space, changeRequest, author, comments, site, suggestions, message, at } = item
  const values = {
    space: space.title,
    number: changeRequest?.number ?? '',
    subject: changeRequest?.subject || words().space.noSubject,
    author: author?.displayName ?? '',
    comments: comments ?? 0,
    site: site?.title ?? '',
    count: suggestions ?? 0,
    message: message ?? '',
    time: inWords(at),
  }
  const href = site
    ? `/sites/${site.id}/suggestions`
    : changeRequest
      ? `/s/${space.id}/c/${changeRequest.number}`
      : `/s/${space.id}/connection`
  return (
    <li>
      <Icon name={ICONS[type]} />
      <div class="grow">
        <a class="t" href={href}>
          {fill(w.waits[type].title, values)}
        </a>
        <div class="d">{fill(w.waits[type].lead, values)}</div>
      </div>
      <a class={`btn small ${isFirst ? 'primary' : ''}`} href={href} aria-label={fill(w.waits[type].label, values)}>
        {w.waits[type].action}
      </a>
    </li>
  )
}
