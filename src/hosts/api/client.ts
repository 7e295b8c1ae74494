/** The inputs of a host client. */
import type { RestApi } from './rest-api.js'

export interface ClientOptions {
  api: RestApi
  /** `owner/name`, with all groups on GitLab. */
  name: string
  /** Returns the permissions of a GitHub App installation by name; null for other credentials. */
  permissions: () => Promise<Readonly<Record<string, string>> | null>
}
