/** What a client of one host is made of. */
import type { RestApi } from './rest-api.js'

export interface ClientOptions {
  api: RestApi
  /** `owner/name`, with all groups on GitLab. */
  name: string
  /** Permissions of a GitHub App's installation, by their names; null for other credentials. */
  permissions: () => Promise<Readonly<Record<string, string>> | null>
}
