// The entry point of Git LFS: the server of a remote and the access to it, its batch API, verified downloads, and the
// fetched files.
export { type LfsAccess, readAccess } from './access.js'
export {
  accessBy,
  requestBatch,
  type BatchResponse,
  type DownloadAction,
  type LfsCredential,
  type LfsObject,
  type LfsServer,
  MAX_BATCH,
} from './batch.js'
export { downloadObject } from './download.js'
export { endpointOf, isAskedOfHost, type LfsEndpoint, MAX_CONFIG_BYTES } from './endpoint.js'
export { LfsError } from './errors.js'
export { type LfsFiles, openLfsFiles } from './files.js'
