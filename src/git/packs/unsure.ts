/** The error by which the readers of packs say that Git has to be asked. */
import { GitError } from '../errors.js'

/** The packs cannot be read here, or only in a way that would take long: Git has to be asked. Never leaves this folder. */
export class Unsure extends GitError {}
