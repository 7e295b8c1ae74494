/** Reads the effective merge rules of a space: its own, or the ones that it inherits from its organization. */
import { type MergeRule, organizations, type SpaceDoc } from '../../../model/index.js'
import type { Reader } from '../../../store/index.js'

/** The rules that protect a space's main content. */
export interface Protection {
  /** Number of approvals that a merge needs. */
  approvals: number
  /** All rules except `allow_bypass`. */
  rules: readonly MergeRule[]
  /** IDs of the users to whom the rules do not apply. */
  bypass: ReadonlySet<string>
}

/** Reads the stored rules that currently apply to a space. */
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

/** Whether there are rules that restrict changes of main. */
export const protects = ({ approvals, rules }: Protection): boolean => approvals > 0 || rules.length > 0

/** Returns the setting names that the audit log records for bypassed rules. */
export const settingsOf = ({ approvals, rules }: Protection): string[] => [
  ...(approvals > 0 ? ['requiredApprovals'] : []),
  ...(rules.length > 0 ? ['mergeRules'] : []),
]
