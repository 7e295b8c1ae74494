import { parseArgs } from 'node:util'
import { assault } from '../test/hostile/assault.js'
import { attacks, kindsCount, type Size } from '../test/hostile/attacks.js'
import { TASKS } from '../test/hostile/tenant/honest.js'
import { runAttacks } from '../test/hostile/tenant/run.js'
import { strangerAttacks } from '../test/hostile/tenant/attacks.js'

// Hostile markdown, block trees, YAML, JSON and forms, each at 100 KB, 1 MB and its limit, over HTTP (CONTRIBUTING.md):
//   scripts/hostile                                   everything
//   scripts/hostile --size small --only "page:"       one size, and the attacks whose name contains this text
//   scripts/hostile --slow 2000 --heap 512 --width 4  list responses over 2 s; heap of the server in MiB; attacks at a time
//   scripts/hostile --stranger 20 --only "slow"       a stranger with two tokens, 20 s for each attack, while an honest tenant works
const HELP =
  'usage: scripts/hostile [--size small|large|limit]... [--only part of a name] [--heap MiB] [--width attacks at a time] [--slow ms]\n' +
  '       scripts/hostile --stranger seconds [--only part of a name] [--heap MiB]'
const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['small', 'large', 'limit'] },
    only: { type: 'string', default: '' },
    heap: { type: 'string', default: '512' },
    width: { type: 'string', default: '2' },
    slow: { type: 'string', default: '3000' },
    stranger: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const sizes = values.size.filter((size): size is Size => ['small', 'large', 'limit'].includes(size))
const [heapMb, width, slow] = [Number(values.heap), Number(values.width), Number(values.slow)]
if (values.help || sizes.length !== values.size.length || ![heapMb, width, slow].every((number) => number > 0)) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (values.stranger !== undefined) process.exit(await strangers(Number(values.stranger)))

/** Runs the attacks of a stranger, and returns the exit code. */
async function strangers(seconds: number): Promise<number> {
  let failures = 0
  await runAttacks(
    strangerAttacks.filter(({ name }) => name === 'no attack' || name.includes(values.only)),
    {
      seconds,
      heapMb,
      told: ({ attack, requests, experiences, health, peakMb, fault }) => {
        const complaints = TASKS.flatMap((task) => experiences[task].failures)
        const isBad = complaints.length > 0 || health.failures > 0
        if (isBad) failures++
        const tasks = TASKS.map((task) => {
          const sorted = [...experiences[task].times].sort((a, b) => a - b)
          const at = (part: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN)
          return `${task} ${at(0.5)}/${at(0.99)} ms (${sorted.length})`
        })
        console.log(
          `${isBad ? 'FAIL' : 'ok  '} ${attack}: ${tasks.join(', ')}; /healthz p50 ${health.p50}, p99 ${health.p99}, max ${health.max} ms, ` +
            `${health.failures} without a response; ${requests} requests; peak memory ${peakMb} MiB`,
        )
        for (const line of [...new Set(complaints)].slice(0, 5)) console.log(`     ${line.slice(0, 300)}`)
        if (fault !== null) console.log(`     the stranger: ${fault.slice(0, 300)}`)
      },
    },
  )
  return failures > 0 ? 1 : 0
}

let [asked, failed, died] = [0, 0, 0]
for (const size of sizes) {
  // One service for each endpoint, so that an attack that kills one does not hide the others.
  const list = attacks([size], (name) => name.includes(values.only))
  for (const way of new Set(list.map(({ name }) => name.split(':')[0]))) {
    const own = list.filter(({ name }) => name.split(':')[0] === way)
    const { results, idle, busy, peakMb, deaths } = await assault(own, {
      heapMb,
      width,
      // Frequent enough to detect hangs of a few milliseconds.
      healthEveryMs: 5,
      idleMs: 3_000,
      told: ({ attack, responses, wrong }) => {
        asked += responses.length
        failed += wrong.length
        for (const line of wrong) console.log(`     FAIL ${line}`)
        for (const { what, status, ms } of responses)
          if (ms > slow)
            console.log(
              `     slow ${attack.name}, ${attack.bytes} bytes, ${what}: ${status} after ${Math.round(ms)} ms`,
            )
      },
    })
    died += deaths
    const late = busy.p99 > 100 || busy.failures > 0
    if (late) failed++
    console.log(
      `${late ? 'FAIL' : 'ok  '} ${size} ${way}: ${results.length} of ${own.length} attacks; /healthz p50 ${busy.p50} ms, p99 ${busy.p99} ms, max ${busy.max} ms ` +
        `(idle p99 ${idle?.p99} ms), ${busy.failures} without a response; peak memory ${peakMb} MiB`,
    )
  }
}
console.log(`${kindsCount} kinds, ${asked} requests, ${failed} failures, the service ended ${died} times`)
process.exit(failed === 0 && died === 0 ? 0 : 1)
