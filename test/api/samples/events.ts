import { setTimeout as sleep } from 'node:timers/promises'
import type { Samples, SpecialSamples } from './samples.js'

/** Events, webhooks and deliveries. The endpoint is a closed port, so nothing is delivered. */
export const eventSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}`
  const input = { url: 'http://127.0.0.1:1/hook' }
  const webhook = async (): Promise<string> => (await admin.call('post', `${base}/webhooks`, input).expect(201)).body.id
  const webhookId = await webhook()
  await admin.call('post', `${base}/webhooks/${webhookId}/replay`, { from: 1 }).expect(200)
  const delivery = async (): Promise<string> => {
    for (;;) {
      const { body } = await admin.call('get', `${base}/webhooks/${webhookId}/deliveries?limit=1`).expect(200)
      if (body.count > 0) return body.items[0].id
      await sleep(10)
    }
  }
  const eventId = (await admin.call('get', `${base}/events?limit=1`).expect(200)).body.items[0].id
  const parameters = { ...before, eventId, webhookId, deliveryId: await delivery() }
  const special: SpecialSamples = {
    deleteWebhookInOrganizationById: { parameters: { ...parameters, webhookId: await webhook() }, success: true },
    rotateWebhookSecret: { success: true },
    testWebhookInOrganization: { success: true },
    replayWebhookDelivery: { success: true },
  }
  return { parameters, special }
}
