/** What each ref that a client pushes to stands for. */
import { isRefName } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { changeRequestNumber, MAIN } from '../context/refs.js'

/** One line of a push: the ref as the client names it, what it believes the ref to be, and what the ref is to become (null = absent). */
export interface RefCommand {
  ref: string
  from: CommitId | null
  to: CommitId | null
}

/** What a ref stands for. A `topic` of null: the change request that holds what is pushed on top of it, or a new one. */
export type PushTarget =
  | { kind: 'main' }
  | { kind: 'branch'; ref: RefName; number: number }
  | { kind: 'topic'; topic: string | null }
  | { kind: 'refused'; reason: string }

const FOR = 'refs/for/'
const HEADS = 'refs/heads/'
const MAX_TOPIC_LENGTH = 200

const refused = (reason: string): PushTarget => ({ kind: 'refused', reason })

/**
 * What a push to a ref means: `refs/for/main` and `refs/for/main/<topic>` open a change request or add to it, as any other branch
 * does under its own name; `refs/heads/change-requests/<number>` is one; `refs/heads/main` is the content of the space.
 * @param topic the push option `topic`
 */
export function targetOf({ ref, to }: Pick<RefCommand, 'ref' | 'to'>, topic: string | undefined): PushTarget {
  if (!isRefName(ref)) return refused('this is not a name that a ref can have (git help check-ref-format)')
  const number = changeRequestNumber(ref as RefName)
  if (to === null) return refused(deletion(number))
  if (ref === MAIN) return { kind: 'main' }
  if (number !== null) return { kind: 'branch', ref: ref as RefName, number }
  if (ref.startsWith(FOR)) return forTarget(ref.slice(FOR.length), topic)
  if (ref.startsWith('refs/tags/')) return refused('tags are not kept here; push a branch')
  if (!ref.startsWith(HEADS) || ref.startsWith(`${HEADS}change-requests`))
    return refused(
      'push to refs/for/main, which opens a change request, to a branch of your own, or to refs/heads/change-requests/<number>',
    )
  return named(topic ?? ref.slice(HEADS.length))
}

const deletion = (number: number | null): string =>
  number === null
    ? 'branches are not deleted here'
    : `a change request is not deleted; archive it: PATCH …/change-requests/${number} with {"status": "archived"}`

function forTarget(rest: string, topic: string | undefined): PushTarget {
  const [branch, ...own] = rest.split('/')
  if (branch !== 'main') return refused('change requests are for main: push to refs/for/main')
  if (topic !== undefined) return named(topic)
  return own.length === 0 ? { kind: 'topic', topic: null } : named(own.join('/'))
}

const named = (topic: string): PushTarget =>
  topic === '' || topic.length > MAX_TOPIC_LENGTH
    ? refused(`a topic has 1 to ${MAX_TOPIC_LENGTH} characters`)
    : { kind: 'topic', topic }
