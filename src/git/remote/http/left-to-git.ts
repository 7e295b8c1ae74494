// What makes a fetch a matter for Git.
import { GitError } from '../../errors.js'

/** A remote did not plainly do what was asked: Git asks it again, and explains what is wrong. */
export class LeftToGit extends GitError {}
