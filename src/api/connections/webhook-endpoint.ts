/** The endpoint for webhooks from Git hosts. */
import { receiveDelivery } from '../../domain/connections/receive-delivery.js'
import { endpoint } from '../service.js'

/** GitHub sends no larger payload. */
const MAX_BYTES = 25 * 1024 * 1024

export const receiveGitWebhook = endpoint({
  method: 'POST',
  path: '/v1/git/webhooks/{connectionId}',
  aliases: { connectionId: 'webhookConnectionId' },
  summary: 'Receive a webhook from GitHub, GitLab, Gitea, Forgejo or Bitbucket',
  description:
    "Enter this address as the webhook URL on the host, with the secret of the connection. No token is needed: the host's signature is verified over the " +
    'bytes of the body before they are parsed. Returns 202 for every body with a valid signature; 401 otherwise, also for a connection that does not exist; ' +
    '413 above 25 MiB. The payload only triggers a poll of the repository, so deliveries may be repeated, late or out of order.',
  section: 'Connections',
  needs: 'public',
  rawBodyLimitBytes: MAX_BYTES,
  status: 202,
  fails: [401],
  audited: false,
  handle: ({ app, webhook, request }) => receiveDelivery(app, webhook, request),
})
