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

/** Reads the stored rules that currently apply to a space. Null if none restricts changes of main. */
export async function protectionOf(reader: Reader, space: SpaceDoc): Promise<Protection | null> {
  const own = space.mergeRules ?? { type: 'inherit' }
  const set = own.type === 'inherit' ? (await reader.get(organizations, space.organization))?.mergeRules : own
  const all = set?.type === 'rules' ? set.rules : []
  const approvals = space.requiredApprovals ?? 0
  const rules = all.filter(({ rule }) => rule !== 'allow_bypass')
  if (approvals === 0 && rules.length === 0) return null
  return {
    approvals,
    rules,
    bypass: new Set(all.flatMap((one) => (one.rule === 'allow_bypass' ? one.users : []))),
  }
}

/** Returns the setting names that the audit log records for bypassed rules. */
export const settingsOf = ({ approvals, rules }: Protection): string[] => [
  ...(approvals > 0 ? ['requiredApprovals'] : []),
  ...(rules.length > 0 ? ['mergeRules'] : []),
]
