// Lists all kinds of jobs.
import { contentImport } from './content-import.js'
import { gitExport, gitImport } from './git-sync-job.js'
import type { JobKind } from './job-kind.js'
import { maintain } from './maintain-repository.js'
import { pdf } from './print-pdf.js'
import { processOpenApi } from './process-openapi.js'
import { purge } from './purge-space.js'
import { requestExport } from './request-export.js'
import { pullPreviews } from './pull-previews.js'
import { resolveLfs } from './resolve-lfs.js'
import { mail } from './send-mail.js'
import { computeRevision, spreadOpenApi } from './spread-openapi.js'
import { translate } from './translate.js'

const all: readonly JobKind[] = [
  gitImport,
  gitExport,
  requestExport,
  pullPreviews,
  contentImport,
  maintain,
  purge,
  mail,
  pdf,
  processOpenApi,
  spreadOpenApi,
  computeRevision,
  translate,
  resolveLfs,
]

/** All kinds of jobs, by name. */
export const jobKinds: ReadonlyMap<string, JobKind> = new Map(all.map((kind) => [kind.kind, kind]))
