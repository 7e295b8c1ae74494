/** The four stand-ins with their client, and the differences between them. */
import { signAppToken } from '../../src/auth/index.js'
import {
  type Host,
  type HostCredential,
  HostError,
  type HostFailure,
  type Hosts,
  openHosts,
  type Provider,
} from '../../src/hosts/index.js'
import { createHttpClient, type HttpClient } from '../../src/outbound/index.js'
import { startBitbucket } from '../support/hosts/bitbucket.js'
import { startGitea } from '../support/hosts/gitea.js'
import { startGitHub } from '../support/hosts/github.js'
import { startGitLab } from '../support/hosts/gitlab.js'
import type { HostServer } from '../support/hosts/host-server.js'
import { handClock } from '../support/hand-clock.js'

export const TOKEN = 'a-token-with-32-characters-in-it'

export interface Place {
  provider: Provider
  server: HostServer
  /** URL of the repository. */
  repositoryUrl: string
  /** The client with a credential. Default: a token with all permissions. */
  open(credential?: HostCredential): Host
}

export interface AllHosts {
  places: Place[]
  github: Awaited<ReturnType<typeof startGitHub>>
  clock: ReturnType<typeof handClock>
  hosts: Hosts
  http: HttpClient
  close(): Promise<void>
}

/** Starts all four. */
export async function startAllHosts(): Promise<AllHosts> {
  const clock = handClock()
  const github = await startGitHub(clock.now)
  const [gitlab, gitea, bitbucket] = await Promise.all([startGitLab(), startGitea(), startBitbucket()])
  const http = createHttpClient({ allowPrivateNetworks: ['127.0.0.1/32'], agent: 'Test/1' })
  const hosts = openHosts({ http, signAppToken, now: clock.now })
  const place = (provider: Provider, server: HostServer, path = ''): Place => {
    const repositoryUrl = `${server.url}${path}/${server.repository.name}.git`
    server.tokens.set(TOKEN, ['*'])
    return {
      provider,
      server,
      repositoryUrl,
      open: (credential = { kind: 'token', token: TOKEN }) =>
        hosts.open({ provider, url: repositoryUrl, credential, apiUrl: server.apiUrl }),
    }
  }
  const places = [
    place('github', github),
    place('gitlab', gitlab),
    place('gitea', gitea, '/gitea'),
    place('bitbucket', bitbucket),
  ]
  return {
    places,
    github,
    clock,
    hosts,
    http,
    close: async () => {
      await http.close()
      for (const { server } of places) await server.close()
    },
  }
}

/** Returns the error of a request that must fail. */
export async function failed(work: Promise<unknown>, failure?: HostFailure): Promise<HostError> {
  let error: unknown
  try {
    await work
  } catch (thrown) {
    error = thrown
  }
  if (!(error instanceof HostError)) throw new Error(`no HostError, but ${String(error)}`, { cause: error })
  if (failure !== undefined && error.failure !== failure)
    throw new Error(`${error.failure}, not ${failure}: ${error.message}`)
  return error
}
