/** The tasks for the threads that verify responses. */
import { verifyResponse } from './verify.js'

export const tasks = {
  /** Verifies a response; `order` and the result (`Asserted`) are JSON. */
  async verify(encoded: string, order: string): Promise<string> {
    return JSON.stringify(await verifyResponse(encoded, JSON.parse(order)))
  },
}
