// The door of hosts of Git repositories: their webhooks are verified here, their REST APIs asked, their credentials turned into those of Git.
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
