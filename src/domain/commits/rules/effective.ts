/** The merge rules of a space: its own, or those of its organization. */
import { type MergeRule, organizations, type SpaceDoc } from '../../../model/index.js'
import type { Reader } from '../../../store/index.js'

/** What protects the main content of a space. */
export interface Protection {
  /** Number of approvals that a merge needs. */
  approvals: number
  /** All rules but those that name who may bypass the others. */
  rules: readonly MergeRule[]
  /** IDs of the users to whom the rules do not apply. */
  bypass: ReadonlySet<string>
}

/** The rules that apply to a space now, as they are stored. */
export async function protectionOf(reader: Reader, space: SpaceDoc): Promise<Protection> {
  const own = space.mergeRules ?? { type: 'inherit' }
  const set = own.type === 'inherit' ? (await reader.get(organizations, space.organization))?.mergeRules : own
  const all = set?.type === 'rules' ? set.rules : []
  return {
    approvals: space.requiredApprovals ?? 0,
    rules: all.filter(({ rule }) => rule !== 'allow_bypass'),
    bypass: new Set(all.flatMap((one) => (one.rule === 'allow_bypass' ? one.users : []))),
  }
}

/** Whether main can be changed only in the ways that the rules allow. */
export const protects = ({ approvals, rules }: Protection): boolean => approvals > 0 || rules.length > 0

/** The names under which the audit log has the rules that did not apply to a request. */
export const settingsOf = ({ approvals, rules }: Protection): string[] => [
  ...(approvals > 0 ? ['requiredApprovals'] : []),
  ...(rules.length > 0 ? ['mergeRules'] : []),
]
