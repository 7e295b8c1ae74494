import { parseArgs } from 'node:util'
import { assault } from '../test/hostile/assault.js'
import { attacks, kindsCount, type Size } from '../test/hostile/attacks.js'

// Hostile markdown, block trees, YAML, JSON and forms, each at 100 KB, 1 MB and its limit, over HTTP (CONTRIBUTING.md):
//   scripts/hostile                                   everything
//   scripts/hostile --size small --only "page:"       one size, and the attacks whose name contains this text
//   scripts/hostile --slow 2000 --heap 512 --width 4  list responses over 2 s; heap of the server in MiB; attacks at a time
const HELP =
  'usage: scripts/hostile [--size small|large|limit]... [--only part of a name] [--heap MiB] [--width attacks at a time] [--slow ms]'
const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['small', 'large', 'limit'] },
    only: { type: 'string', default: '' },
    heap: { type: 'string', default: '512' },
    width: { type: 'string', default: '2' },
    slow: { type: 'string', default: '3000' },
    help: { type: 'boolean', default: false },
  },
})
const sizes = values.size.filter((size): size is Size => ['small', 'large', 'limit'].includes(size))
const [heapMb, width, slow] = [Number(values.heap), Number(values.width), Number(values.slow)]
if (values.help || sizes.length !== values.size.length || ![heapMb, width, slow].every((number) => number > 0)) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
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
