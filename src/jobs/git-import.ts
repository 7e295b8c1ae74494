/** The background job that runs an import from a remote repository. */
import { runImport } from '../domain/git-sync/import.js'
import { gitSyncJob } from './git-sync-job.js'

export const gitImport = gitSyncJob('git-import', runImport)
