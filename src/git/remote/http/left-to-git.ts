// The error that hands a fetch over to Git.
import { GitError } from '../../errors.js'

/** The remote did not respond as expected. Git repeats the request and explains what is wrong. */
export class LeftToGit extends GitError {}
