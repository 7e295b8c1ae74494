/** Notifications, and the switches that select the ones that the user receives. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { put, reload, useData } from '../api/data.js'
import { changeSettings, type Settings, useSettings } from '../api/settings.js'
import { recount } from '../api/unread.js'
import { Frame } from '../shell/frame.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import { fill, words } from '../words/index.js'
import { moreWords } from '../words/more.js'

type Notification = Schemas['Notification']
type Topic = keyof Settings['notifications']

const KEY = 'notifications'
const SHOWN = { limit: 200 }

const load = () => body(api.GET('/v1/user/notifications', { params: { query: SHOWN } }))

/** Marks notifications here and on the server. Restores the old state if the server rejects the change. */
async function mark(list: Schemas['NotificationList'], ids: readonly string[], read: boolean): Promise<void> {
  const named = new Set(ids)
  put(KEY, { ...list, items: list.items.map((one) => (named.has(one.id) ? { ...one, read } : one)) })
  const isStored = await attempt(() => body(api.PATCH('/v1/user/notifications', { body: { read, ids: [...ids] } })))
  if (!isStored) put(KEY, list)
  recount()
}

export function Inbox() {
  const w = moreWords().inbox
  const [isAll, setAll] = useState(false)
  const list = useData(KEY, load)
  const unread = list.value?.items.filter(({ read }) => !read) ?? []
  const markAll = async (): Promise<void> => {
    if (!list.value) return
    const ids = unread.map(({ id }) => id)
    await mark(list.value, ids, true)
    toast(w.allRead, { undo: async () => mark(await load(), ids, false) })
  }
  return (
    <Frame
      title={words().common.notifications}
      crumbs={[{ title: words().common.notifications, href: '/inbox' }]}
      main=""
    >
      <div class="home">
        <div class="stack">
          <div class="row wrap">
            <h1 class="title grow">{words().common.notifications}</h1>
            {/* biome-ignore lint/a11y/useSemanticElements: a row of switches is no set of fields. */}
            <div class="seg" role="group" aria-label={w.show}>
              <button type="button" aria-pressed={!isAll} onClick={() => setAll(false)}>
                {w.unread} {unread.length > 0 && <span class="count">{unread.length}</span>}
              </button>
              <button type="button" aria-pressed={isAll} onClick={() => setAll(true)}>
                {w.all}
              </button>
            </div>
            <button
              type="button"
              class="btn quiet"
              aria-disabled={unread.length === 0}
              onClick={() => unread.length > 0 && void markAll()}
            >
              {w.markAll}
            </button>
          </div>
          <Show data={list} retry={() => void reload(KEY)}>
            {(all) => <Days list={all} items={isAll ? all.items : all.items.filter(({ read }) => !read)} />}
          </Show>
        </div>
        <aside class="stack" id="settings" aria-labelledby="reaches">
          <Switches />
        </aside>
      </div>
    </Frame>
  )
}

interface DaysProps {
  list: Schemas['NotificationList']
  items: readonly Notification[]
}

/** The notifications of today, and the earlier ones. */
function Days({ list, items }: DaysProps) {
  const w = moreWords().inbox
  if (items.length === 0)
    return (
      <div class="panel">
        <Empty icon="bell" title={w.empty}>
          {w.emptyLead}
        </Empty>
      </div>
    )
  const today = new Date().toDateString()
  const isToday = ({ at }: Notification): boolean => new Date(at).toDateString() === today
  const parts: [string, Notification[]][] = [
    [w.today, items.filter(isToday)],
    [w.earlier, items.filter((one) => !isToday(one))],
  ]
  return (
    <>
      {parts.map(
        ([title, some]) =>
          some.length > 0 && (
            <section class="stack s" key={title}>
              <h2 class="nav-h">{title}</h2>
              <ul class="list t panel wraps">
                {some.map((one) => (
                  <Entry key={one.id} list={list} notification={one} />
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  )
}

const ICONS: Record<Notification['type'], IconName> = {
  review_requested: 'eye',
  reviewed: 'edit',
  comment: 'comment',
  reply: 'comment',
  conflict: 'warn',
  sync_failed: 'sync',
  merged: 'merge',
  suggestion: 'edit',
}

/** Returns the path of a notification's subject in this app. */
const placeOf = ({ urls }: Notification): string => {
  const { pathname, search, hash } = new URL(urls.app)
  return pathname + search + hash
}

function Entry({ list, notification }: { list: Schemas['NotificationList']; notification: Notification }) {
  const w = moreWords().inbox
  const { id, type, read, at, actor, space, changeRequest, page, review, message } = notification
  const values = {
    actor: actor?.displayName ?? w.someone,
    space: space.title,
    number: String(changeRequest?.number ?? ''),
    subject: changeRequest?.subject || words().space.noSubject,
    page: page?.title ?? '',
    message: message ?? '',
  }
  const text =
    type === 'reviewed' && review === 'approved'
      ? w.types.approved
      : changeRequest || type === 'conflict' || type === 'sync_failed' || type === 'suggestion'
        ? w.types[type]
        : w.types.space
  return (
    <li class={read ? '' : 'unread'}>
      <Icon name={ICONS[type]} />
      <div class="grow">
        <a class="t" href={placeOf(notification)} onClick={() => !read && void mark(list, [id], true)}>
          {fill(text.title, values)}
        </a>
        <div class="d">{fill(text.lead, values)}</div>
      </div>
      {!read && <span class="chip on">{w.isNew}</span>}
      <span class="muted sm nw">
        <Time iso={at} />
      </span>
      <button
        type="button"
        class="icb"
        aria-label={fill(read ? w.markUnread : w.markRead, { title: fill(text.title, values) })}
        onClick={() => void mark(list, [id], !read)}
      >
        <Icon name={read ? 'undo' : 'check'} />
      </button>
    </li>
  )
}

const TOPICS: readonly Topic[] = ['reviewRequests', 'comments', 'reviews', 'conflicts', 'syncs', 'merges']

function Switches() {
  const w = moreWords().inbox
  const settings = useSettings()
  return (
    <>
      <h2 class="h" id="reaches">
        {w.reaches}
      </h2>
      <Show data={settings}>
        {({ notifications }) => (
          <div class="panel">
            <table class="tbl">
              <thead>
                <tr>
                  <th>{w.about}</th>
                  <th class="num">{w.app}</th>
                  <th class="num">{w.mail}</th>
                </tr>
              </thead>
              <tbody>
                {TOPICS.map((topic) => (
                  <tr key={topic}>
                    <th scope="row">{w.topics[topic]}</th>
                    {(['app', 'mail'] as const).map((channel) => (
                      <td class="num" key={channel}>
                        <ChannelSwitch {...{ topic, channel }} checked={notifications[topic][channel]} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Show>
      <p class="help">{w.help}</p>
    </>
  )
}

function ChannelSwitch({ topic, channel, checked }: { topic: Topic; channel: 'app' | 'mail'; checked: boolean }) {
  const w = moreWords().inbox
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        onChange={(event) =>
          void changeSettings({ notifications: { [topic]: { [channel]: event.currentTarget.checked } } })
        }
      />
      <span class="vh">{fill(channel === 'app' ? w.inApp : w.byMail, { topic: w.topics[topic] })}</span>
    </label>
  )
}
