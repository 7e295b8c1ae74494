import { Worker } from 'node:worker_threads'

/**
 * Polls an address from a separate thread and records the response times. Each request costs the service a millisecond,
 * and the tests look for delays of seconds, so it polls every 50 ms.
 */
const WATCHER = `
const { parentPort, workerData } = require('node:worker_threads')
const { get, Agent } = require('node:http')
const agent = new Agent({ keepAlive: true })
const took = []
let stop = false
const ask = () => {
  if (stop) return parentPort.postMessage(took)
  const from = performance.now()
  get(workerData, { agent }, (response) => response.resume().on('end', () => { took.push(performance.now() - from); setTimeout(ask, 50) }))
    .on('error', () => { took.push(Infinity); setTimeout(ask, 50) })
}
parentPort.on('message', () => { stop = true })
ask()
`

/** Response times of `/healthz` in milliseconds during other work. */
export interface Watched {
  p99: number
  max: number
}

/** Runs a function while `/healthz` is polled. */
export async function watched<T>(url: string, act: () => Promise<T>): Promise<{ result: T; health: Watched }> {
  const watcher = new Worker(WATCHER, { eval: true, workerData: `${url}/healthz` })
  try {
    await new Promise((ready) => setTimeout(ready, 300))
    const result = await act()
    const took = await new Promise<number[]>((done) => {
      watcher.once('message', done)
      watcher.postMessage('stop')
    })
    took.sort((a, b) => a - b)
    return {
      result,
      health: {
        p99: took[Math.floor(took.length * 0.99)] ?? Number.POSITIVE_INFINITY,
        max: took.at(-1) ?? Number.POSITIVE_INFINITY,
      },
    }
  } finally {
    await watcher.terminate()
  }
}
