import { request, Agent } from 'node:http'

// Requests /healthz every few milliseconds from its own process, so that the attacks cannot delay the clock.
const [url, everyMs] = [process.argv[2] as string, Number(process.argv[3])]
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const once = (): Promise<void> =>
  new Promise((done, failed) => {
    const asked = request(`${url}/healthz`, { agent }, (response) => {
      response
        .resume()
        .on('end', () =>
          response.statusCode === 200 ? done() : failed(new Error(`/healthz returned ${response.statusCode}`)),
        )
    })
    asked.on('error', failed).end()
  })

let going = true
process.on('message', () => (going = false)).on('disconnect', () => process.exit(1))
const samples: number[] = []
let failures = 0
while (going) {
  const started = performance.now()
  await once().catch(() => failures++)
  const took = performance.now() - started
  samples.push(took)
  // A probe that waits for the last response sends too few requests while the service hangs: the unsent requests
  // would have waited, too.
  for (let missed = took - everyMs; missed > everyMs; missed -= everyMs) samples.push(missed)
  await new Promise((done) => setTimeout(done, everyMs))
}
agent.destroy()
process.send?.({ samples, failures }, () => process.exit(0))
