// The door of Git LFS: where the server of a remote is, its batch API, downloads that are verified, and the files that were fetched.
export { askBatch, type BatchAnswer, type DownloadAction, type LfsCredential, type LfsObject, type LfsServer, MAX_BATCH } from './batch.js'
export { downloadObject } from './download.js'
export { endpointOf, type LfsEndpoint, MAX_CONFIG_BYTES } from './endpoint.js'
export { LfsError } from './errors.js'
export { type LfsFiles, openLfsFiles } from './files.js'
