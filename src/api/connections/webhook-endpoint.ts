/** The endpoint that hosts deliver their webhooks to. */
import { receiveDelivery } from '../../domain/connections/receive-delivery.js'
import { endpoint } from '../service.js'

/** GitHub sends no payload that is larger. */
const MAX_BYTES = 25 * 1024 * 1024

export const receiveGitWebhook = endpoint({
  method: 'POST',
  path: '/v1/git/webhooks/{connectionId}',
  aliases: { connectionId: 'webhookConnectionId' },
  summary: 'Receive a webhook of GitHub, GitLab, Gitea, Forgejo or Bitbucket',
  description:
    'To be entered at the host as the address of a webhook, with the secret of the connection. There is no token: the signature of the host is checked over the bytes of the body, before anything in it is parsed. ' +
    'The response is 202 if it is right, whatever was sent; 401 otherwise, also for a connection that does not exist; 413 above 25 MiB. ' +
    'The payload only says where to look: the connection then asks the repository, so deliveries may be repeated, late or out of order.',
  section: 'Connections',
  needs: 'public',
  rawBodyLimitBytes: MAX_BYTES,
  status: 202,
  fails: [401],
  audited: false,
  handle: ({ app, webhook, request }) => receiveDelivery(app, webhook, request),
})
