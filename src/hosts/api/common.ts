/** Helpers that all host clients share. */
import { HostError } from '../types.js'

/** Maximum number of pull requests in a list. */
export const MAX_PULL_REQUESTS = 300
/** Maximum number of reviewers that are requested. */
export const MAX_REVIEWERS = 20
const MAX_DESCRIPTION = 140

/**
 * Encodes a branch name for a path and keeps its slashes. Throws `HostError` (`refused`) for an invalid branch name.
 */
export function branchPath(branch: string): string {
  if (branch === '' || branch.split('/').some((one) => one === '' || one === '.' || one === '..'))
    throw new HostError('refused', `${branch.slice(0, 100)} is not a valid branch name.`)
  return branch.split('/').map(encodeURIComponent).join('/')
}

/** Shortens a description to a length that every host accepts. */
export const shortened = (text: string): string =>
  text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION - 1)}…`

/** Returns the error for a response of an unexpected form. */
export const unexpectedResponse = (host: string, what: string): HostError =>
  new HostError('unavailable', `${host} returned no ${what}. Check the address of its API.`)

/** Returns an `http` or `https` URL from a response; '' for anything else, because people will click on it. */
export const webUrl = (text: string | undefined): string =>
  text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : ''
