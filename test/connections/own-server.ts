// Run by killed-server.ts in its own process: a service with a clock that the parent sets.
import { handClock } from '../support/hand-clock.js'
import { startService } from '../support/service.js'
import { timesOf } from './connected.js'

export interface Order {
  id: number
  what: 'begin' | 'idle' | 'restart' | 'close'
  ms: number
}
export interface Report {
  id: number
  url: string
  organization: string
  error?: string
}

const [dir = '', laterMs = '0'] = process.argv.slice(2)
const clock = handClock()
clock.forward(Number(laterMs))
const here = await startService({ dir, env: timesOf, overrides: { clock } })

async function obey({ what, ms }: Order): Promise<void> {
  if (what === 'restart') return here.restart()
  if (what === 'close') return here.service.close()
  if (what === 'idle') return here.service.idle()
  clock.forward(ms)
  here.service.app.wakes.connections()
  here.service.app.wakes.jobs()
}

const report = (id: number, error?: string): boolean =>
  process.send?.({
    id,
    url: here.url,
    organization: here.organization,
    ...(error === undefined ? {} : { error }),
  } satisfies Report) ?? false

process.on('message', (order: Order) => {
  obey(order).then(
    () => report(order.id),
    (error: unknown) => report(order.id, error instanceof Error ? error.stack : String(error)),
  )
})
process.on('disconnect', () => process.exit())
report(0)
