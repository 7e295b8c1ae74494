/** The history of one repository. */
import type { CommitId } from '../../kernel/ids.js'
import type {
  CommitInfo,
  CommitPaths,
  CommitStep,
  FileChangesQuery,
  History,
  HistoryQuery,
  PastFileChange,
  AllowedKeys,
  SignatureCheck,
} from '../types.js'
import { checkSignature } from '../signing/check-signature.js'
import { Ancestry } from './ancestry.js'
import { readChangedPaths } from './changed-paths.js'
import { findWithHeader, readFileChanges, readHistory, readHistoryIds } from './log.js'

/** The history of one repository: the graph in memory, and what Git lists of it. */
export class CommitHistory extends Ancestry implements History {
  log(query: HistoryQuery): Promise<CommitInfo[]> {
    return readHistory(this.objects, this.launcher, this, query)
  }

  ids(query: HistoryQuery): Promise<CommitId[]> {
    return readHistoryIds(this.objects, this.launcher, query)
  }

  fileChanges(query: FileChangesQuery): Promise<PastFileChange[]> {
    return readFileChanges(this.objects, this.launcher, query)
  }

  findWithHeader(from: CommitId, header: string, limit: number): Promise<CommitId | null> {
    return findWithHeader(this.objects, this.launcher, from, header, limit)
  }

  changedPaths(steps: readonly CommitStep[]): Promise<CommitPaths[]> {
    return readChangedPaths(this.objects, this.launcher, steps)
  }

  checkSignature(commit: CommitId, allowed: AllowedKeys): Promise<SignatureCheck> {
    return checkSignature({ launcher: this.launcher, repository: this.objects.repository }, commit, allowed)
  }
}
