/** Lists of the API that are read page by page, and tables whose rows open. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Loaded, put, reload, useData } from '../api/data.js'
import { address, setQuery } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { fill, words } from '../words/index.js'
import { adminWords } from './words.js'

/** A page of a list of the API. */
export interface Page<T> {
  items: T[]
  count: number
  next?: { page: string }
}

/** A list that grows by pages. */
export interface Pages<T> {
  data: Loaded<Page<T>>
  /** Reloads the shown pages. */
  again: () => Promise<void>
  /** Adds the next page. Absent at the end. */
  more?: () => Promise<boolean>
}

const PAGE = 50
const MAX_LIMIT = 1_000

/** Reads a list page by page. A null key reads nothing. */
export function usePages<T>(
  key: string | null,
  load: (query: { limit: number; page?: string }) => Promise<Page<T>>,
): Pages<T> {
  // A reloaded list keeps its length.
  const data: Loaded<Page<T>> = useData<Page<T>>(key, () =>
    load({ limit: Math.min(MAX_LIMIT, Math.max(PAGE, data.value?.items.length ?? 0)) }),
  )
  const again = () => (key === null ? Promise.resolve() : reload(key))
  const shown = data.value
  if (key === null || !shown?.next) return { data, again }
  const { page } = shown.next
  const more = () =>
    attempt(async () => {
      const added = await load({ limit: PAGE, page })
      put<Page<T>>(key, { ...added, items: [...shown.items, ...added.items] })
    })
  return { data, again, more }
}

/** The number of entries that are shown, and the button for more. */
export function ListEnd<T>({ of: { data, more }, children }: { of: Pages<T>; children?: ComponentChildren }) {
  const w = adminWords().lists
  const [isBusy, setBusy] = useState(false)
  if (data.value === undefined) return null
  return (
    <div class="row wrap">
      <p class="sm muted grow" role="status">
        {fill(w.shown, { shown: data.value.items.length, count: data.value.count })} {children}
      </p>
      {more && (
        <button
          type="button"
          class="btn small"
          aria-disabled={isBusy || undefined}
          onClick={() => {
            setBusy(true)
            void more().then(() => setBusy(false))
          }}
        >
          {words().common.more}
        </button>
      )}
    </div>
  )
}

/** A column of a table. */
interface Column {
  name: string
  /** CSS classes: `hide-m` and `hide-s` hide it on narrow screens; `num` is for numbers. */
  class?: string
  /** Whether only screen readers get the name. */
  isHidden?: boolean
}

/** A list as a table, with the number of its entries and the button for more; or why it is empty. */
export function Listing<T>({
  of: list,
  icon,
  noneTitle,
  none,
  columns,
  children: row,
}: {
  of: Pages<T>
  icon: IconName
  noneTitle: string
  none: string
  columns: readonly Column[]
  children: (item: T) => ComponentChildren
}) {
  return (
    <Show data={list.data} retry={() => void list.again()}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={icon} title={noneTitle}>
            {none}
          </Empty>
        ) : (
          <>
            <div class="panel">
              <table class="tbl cards">
                <thead>
                  <tr>
                    {columns.map(({ name, class: more, isHidden }) => (
                      <th key={name} class={more}>
                        {isHidden ? <span class="vh">{name}</span> : name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>{items.map(row)}</tbody>
              </table>
            </div>
            <ListEnd of={list} />
          </>
        )
      }
    </Show>
  )
}

/** The button that adds an entry to a list. */
export const AddButton = ({ text, onClick }: { text: string; onClick: () => void }) => (
  <button type="button" class="btn primary" onClick={onClick}>
    <Icon name="plus" />
    {text}
  </button>
)

/** A row whose details open below it. One row of a table is open at a time, and the address names it. */
export function OpeningRow({
  id,
  label,
  span,
  cells,
  children,
  name = 'row',
}: {
  id: string
  /** The parameter of the address that names the open row. A table within a row has its own. */
  name?: string
  /** Names the button: "Access of Mei Tanaka". */
  label: string
  /** Number of columns, including that of the button. */
  span: number
  cells: ComponentChildren
  children: () => ComponentChildren
}) {
  const isOpen = address.value.query.get(name) === id
  return (
    <>
      <tr>
        {cells}
        <td class="num">
          <button
            type="button"
            class="icb s"
            aria-expanded={isOpen}
            aria-label={label}
            onClick={() => setQuery({ [name]: isOpen ? null : id })}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr class="exp">
          <td colSpan={span}>{children()}</td>
        </tr>
      )}
    </>
  )
}

const TYPING_MS = 250
let typing: ReturnType<typeof setTimeout> | undefined

/** A field that filters a list on the server. Its text is in the address. */
export function Filter({ label, placeholder, name = 'q' }: { label: string; placeholder: string; name?: string }) {
  return (
    <label class="filter">
      <Icon name="search" />
      <span class="vh">{label}</span>
      <input
        type="search"
        placeholder={placeholder}
        defaultValue={address.value.query.get(name) ?? ''}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(typing)
          typing = setTimeout(() => setQuery({ [name]: value === '' ? null : value }), TYPING_MS)
        }}
      />
    </label>
  )
}

/** Returns a parameter of the address, or a default. */
export const parameter = (name: string, otherwise = ''): string => address.value.query.get(name) ?? otherwise
