import type { DeliveryDoc, EventDoc } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { eventAt } from '../events/event-stream.js'

/** The event of a delivery; null where it is not kept any more, and for a ping. */
export async function eventOf(reader: Reader, { organization, sequence, event }: DeliveryDoc): Promise<EventDoc | null> {
  const found = sequence === undefined ? null : await eventAt(reader, organization, sequence)
  return found?.id === event ? found : null
}
