/** What the clients of the hosts have in common. */
import { HostError } from '../types.js'

/** Pull requests that a list gives at most. */
export const MAX_PULL_REQUESTS = 300
/** Reviewers that are asked for at most. */
export const MAX_REVIEWERS = 20
const MAX_DESCRIPTION = 140

/** A branch in a path, its slashes kept. Throws `HostError` (`refused`) for what cannot be a branch. */
export function branchPath(branch: string): string {
  if (branch === '' || branch.split('/').some((one) => one === '' || one === '.' || one === '..'))
    throw new HostError('refused', `${branch.slice(0, 100)} cannot be the name of a branch.`)
  return branch.split('/').map(encodeURIComponent).join('/')
}

/** A description that every host accepts. */
export const shortened = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1)}…`

/** The answer has not the form that it must have. */
export const strange = (host: string, what: string): HostError =>
  new HostError('unavailable', `${host} returned no ${what}. Is the address of its API right?`)

/** An `http` or `https` URL of an answer; '' for anything else, since people will click on it. */
export const webUrl = (text: string | undefined): string =>
  text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : ''
