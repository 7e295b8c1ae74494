import { runExport } from '../domain/git-sync/export.js'
import { gitSyncJob } from './git-sync-job.js'

export const gitExport = gitSyncJob('git-export', runExport)
