/** Determines the target of each ref that a client pushes. */
import { isRefName } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { changeRequestNumber, MAIN } from '../context/refs.js'

/** One command of a push: the client's name of the ref, its expected value, and its new value (null = absent). */
export interface RefCommand {
  ref: string
  from: CommitId | null
  to: CommitId | null
}

/** The target of a ref. A `topic` of null selects the change request that the pushed commits build on, or a new one. */
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
 * Returns the target of a push to a ref. `refs/for/main` and `refs/for/main/<topic>` open a change request or add to
 * it, like any other branch under its own name. `refs/heads/change-requests/<number>` is a change request.
 * `refs/heads/main` is the content of the space.
 * @param topic the push option `topic`
 */
export function targetOf({ ref, to }: Pick<RefCommand, 'ref' | 'to'>, topic: string | undefined): PushTarget {
  if (!isRefName(ref)) return refused('not a valid ref name (git help check-ref-format)')
  const number = changeRequestNumber(ref)
  if (to === null) return refused(deletion(number))
  if (ref === MAIN) return { kind: 'main' }
  if (number !== null) return { kind: 'branch', ref, number }
  if (ref.startsWith(FOR)) return forTarget(ref.slice(FOR.length), topic)
  if (ref.startsWith('refs/tags/')) return refused('tags are not supported; push a branch')
  if (!ref.startsWith(HEADS) || ref.startsWith(`${HEADS}change-requests`))
    return refused(
      'push to refs/for/main to open a change request, to a branch with any other name, or to refs/heads/change-requests/<number>',
    )
  return topicTarget(topic ?? ref.slice(HEADS.length))
}

const deletion = (number: number | null): string =>
  number === null
    ? 'branches cannot be deleted'
    : `a change request cannot be deleted; archive it: PATCH …/change-requests/${number} with {"status": "archived"}`

function forTarget(rest: string, topic: string | undefined): PushTarget {
  const [branch, ...own] = rest.split('/')
  if (branch !== 'main') return refused('change requests are only for main; push to refs/for/main')
  if (topic !== undefined) return topicTarget(topic)
  return own.length === 0 ? { kind: 'topic', topic: null } : topicTarget(own.join('/'))
}

const topicTarget = (topic: string): PushTarget =>
  topic === '' || topic.length > MAX_TOPIC_LENGTH
    ? refused(`a topic must have 1 to ${MAX_TOPIC_LENGTH} characters`)
    : { kind: 'topic', topic }
