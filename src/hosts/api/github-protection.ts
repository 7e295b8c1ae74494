/**
 * Reads the rules for a branch on GitHub: rulesets, which every user may read, and classic protection, whose details
 * only admins may read.
 */
import { own } from '../../kernel/defined.js'
import type { BranchProtection } from '../types.js'
import { at, listAt, textAt } from '../values.js'
import { branchPath } from './common.js'
import type { RestApi } from './rest-api.js'

/**
 * Rules that prevent or restrict a push of new commits. Rules about deletion and force pushes are omitted, because
 * Bindery does neither.
 */
const RULES: Readonly<Record<string, string>> = {
  pull_request: 'Changes need a pull request.',
  update: 'Only users who may bypass the rule may push.',
  merge_queue: 'Changes go through a merge queue.',
  required_status_checks: 'Status checks must pass before a push.',
  required_deployments: 'Changes must be deployed before a push.',
  workflows: 'Workflows must pass before a push.',
  required_signatures: 'Commits must be signed.',
  commit_message_pattern: 'Commit messages must match a pattern.',
  commit_author_email_pattern: 'Author email addresses must match a pattern.',
  committer_email_pattern: 'Committer email addresses must match a pattern.',
  file_path_restriction: 'Some paths must not be changed.',
  max_file_size: 'Files must not exceed a given size.',
}
const purpose = { doing: 'read the rules of the branch', needs: 'the permission "Metadata: read"' }

/**
 * Returns the protection of a branch.
 * @param repo path of the repository in the API
 */
export async function githubProtection(api: RestApi, repo: string, branch: string): Promise<BranchProtection> {
  const path = branchPath(branch)
  const found = await api.ask('GET', `${repo}/branches/${path}`, purpose, { accept: [404] })
  const ruled = await api.ask('GET', `${repo}/rules/branches/${path}?per_page=100`, purpose, { accept: [403, 404] })
  const types = new Set(listAt(ruled.status === 200 ? ruled.value : []).map((rule) => textAt(rule, ['type']) ?? ''))
  const rules = [...types].flatMap((type) => own(RULES, type) ?? [])
  const isProtected = found.status === 200 && at(found.value, 'protected') === true
  const classic = isProtected
    ? await classicRules(api, `${repo}/branches/${path}/protection`)
    : { rules: [], locked: false }
  const all = [...new Set([...rules, ...classic.rules])]
  const free = all.length === 0 && !isProtected
  // GitHub does not report who may bypass a rule.
  return {
    exists: found.status === 200,
    protected: isProtected || rules.length > 0,
    canPush: classic.locked ? false : free ? true : null,
    rules: all,
  }
}

async function classicRules(api: RestApi, path: string): Promise<{ rules: string[]; locked: boolean }> {
  const { status, value } = await api.ask('GET', path, purpose, { accept: [403, 404] })
  if (status !== 200) return { rules: [], locked: false }
  const locked = at(value, 'lock_branch', 'enabled') === true
  const rules = [
    ...(locked ? ['The branch is locked: no one may push to it.'] : []),
    ...(at(value, 'required_pull_request_reviews') === undefined ? [] : ['Changes need a pull request.']),
    ...(at(value, 'restrictions') === undefined ? [] : ['Only certain people, teams and apps may push.']),
    ...(at(value, 'required_status_checks') === undefined ? [] : ['Status checks must pass before a push.']),
    ...(at(value, 'required_signatures', 'enabled') === true ? ['Commits must be signed.'] : []),
  ]
  return { rules, locked }
}
