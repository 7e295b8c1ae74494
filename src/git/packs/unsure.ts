/** The error with which the pack readers leave a lookup to Git. */
import { GitError } from '../errors.js'

/** The packs cannot be read here, or only slowly, so Git must look up the object. Never leaves this folder. */
export class Unsure extends GitError {}
