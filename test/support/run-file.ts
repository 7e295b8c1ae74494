import { pathToFileURL } from 'node:url'

// One test file in a process of its own: uvu queues what `.run()` hands it, `exec` runs it, the parent gets the counts.
const file = process.argv[2]
if (!file) throw new Error('usage: run-file <test file>')

// uvu looks at these while it is loaded, hence the dynamic imports.
const shared = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: unknown[][]; UVU_INDEX: number }
shared.UVU_DEFER = 1
shared.UVU_QUEUE = [[null]]
shared.UVU_INDEX = 0
const { exec } = await import('uvu')
const { tally } = await import('./suite.js')

// One seed for all, so that a run can be repeated; FC_SEED=random looks elsewhere, FC_SEED=<number> at what a run reported.
const { FC_SEED = '20261121' } = process.env
if (FC_SEED !== 'random') (await import('fast-check')).default.configureGlobal({ seed: Number(FC_SEED) })

const crashes: string[] = []
process.on('unhandledRejection', (reason) => {
  crashes.push(`unhandled rejection: ${reason instanceof Error ? reason.stack : String(reason)}`)
})
try {
  await import(pathToFileURL(file).href)
  await (exec as (bail?: boolean) => Promise<void>)(false)
} catch (thrown) {
  crashes.push(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown))
}
process.send?.({ ...tally, crashes }, () => process.exit(0))
