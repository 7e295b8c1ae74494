/**
 * The changes that the reader has viewed, by the digests of their blocks, in this browser. A later change of another
 * block keeps the mark.
 */
import { signal } from '@preact/signals'
import { session } from '../api/session.js'
import type { ChangedBlock, RequestPlace } from './request.js'

/** For each page: the digests of the changed blocks that were viewed. */
type Viewed = Readonly<Record<string, readonly string[]>>

const MAX_REQUESTS = 100
const STORED = 'bindery-viewed'
const all = signal<Readonly<Record<string, Viewed>>>(read())

function read(): Record<string, Viewed> {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}')
  } catch {
    return {}
  }
}

const keyOf = ({ spaceId, number }: RequestPlace): string => `${session.value?.user.id ?? ''}/${spaceId}/${number}`

/** Returns the digest that identifies a changed block. */
const digestOf = ({ before, after }: ChangedBlock): string => after?.digest ?? `-${before?.digest ?? ''}`

const changedOf = (blocks: readonly ChangedBlock[]): string[] =>
  blocks.filter(({ change }) => change !== 'unchanged').map(digestOf)

/** Whether the reader has viewed all changes of a page. Without `blocks`, whether the reader has ever viewed it. */
export function isViewed(place: RequestPlace, page: string, blocks?: readonly ChangedBlock[]): boolean {
  const known = all.value[keyOf(place)]?.[page]
  if (!known) return false
  return blocks === undefined || changedOf(blocks).every((digest) => known.includes(digest))
}

/** Marks the changes of a page as viewed, or not. */
export function setViewed(place: RequestPlace, page: string, blocks: readonly ChangedBlock[], viewed: boolean): void {
  const key = keyOf(place)
  const { [page]: _before, ...rest } = all.value[key] ?? {}
  const { [key]: _old, ...others } = all.value
  const kept = Object.entries(others).slice(-MAX_REQUESTS + 1)
  all.value = Object.fromEntries([...kept, [key, viewed ? { ...rest, [page]: changedOf(blocks) } : rest]])
  localStorage.setItem(STORED, JSON.stringify(all.value))
}
