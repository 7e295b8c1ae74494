export * from './errors.js'
export { parseRemoteUrl, remoteKey } from './remote/url.js'
export type * from './types.js'
