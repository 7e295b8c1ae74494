/** The background job that runs an export to a remote repository. */
import { runExport } from '../domain/git-sync/export.js'
import { gitSyncJob } from './git-sync-job.js'

export const gitExport = gitSyncJob('git-export', runExport)
