// The entry point of `hosts/`: webhook verification, REST API clients and Git credentials for the hosts of
// repositories.
export { apiUrlOf, repositoryNameOf } from './address.js'
export type { Delivery, PullRequestHint } from './deliveries/hints.js'
export {
  DeliveryRefused,
  type DeliveryRules,
  type IncomingDelivery,
  MAX_PARSED_BYTES,
  openDelivery,
  verifyDelivery,
} from './deliveries/delivery.js'
export { openHosts, type Hosts, type HostsOptions } from './open.js'
export type { GitCredential } from './git-credential.js'
export * from './types.js'
