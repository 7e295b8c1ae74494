/** What the API of a host tells about a connection beside Git: whether it can be used for pull requests, and what protects the branch. */
import { type BranchProtection, type Host, HostError, type HostRepository } from '../../hosts/index.js'
import type { ConnectionDoc, ConnectionTest } from '../../model/index.js'
import type { App } from '../context/app.js'
import { hostAddressOf } from './credential.js'

type Check = ConnectionTest['checks'][number]

/** The checks that need the API; none for a remote without one, or a credential that it does not know, unless the connection is to use it. */
export async function testHost(app: App, connection: ConnectionDoc): Promise<Check[]> {
  const { provider, credential, pullRequests } = connection
  const needed = pullRequests.changeRequests || pullRequests.preview === true
  if (!needed && (provider === 'generic' || credential.kind === 'none' || credential.kind === 'sshKey')) return []
  try {
    const host = app.hosts.open(hostAddressOf(app, connection))
    const repository = await host.repository()
    return [...(needed ? [useCheck(repository)] : []), ...(await pushChecks(host, repository, connection))]
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return needed
      ? [{ check: 'host', ok: false, message: `Pull requests and statuses do not work: ${error.message}` }]
      : []
  }
}

function useCheck({ missing }: HostRepository): Check {
  if (missing.length === 0) return { check: 'host', ok: true, message: 'The API of the host can be used.' }
  return {
    check: 'host',
    ok: false,
    message: `The credential lacks what pull requests and statuses need: ${missing.join(', ')}. Grant it at the host.`,
  }
}

async function pushChecks(
  host: Host,
  { archived }: HostRepository,
  { direction, ref }: ConnectionDoc,
): Promise<Check[]> {
  if (direction === 'import') return []
  if (archived)
    return [{ check: 'protection', ok: false, message: 'The repository is archived: nobody may push to it.' }]
  const found = await host.protection(ref.replace('refs/heads/', ''))
  return found.exists || found.protected ? [protectionCheck(found, ref)] : []
}

function protectionCheck({ protected: isProtected, canPush, rules }: BranchProtection, ref: string): Check {
  const check = 'protection'
  const demands = rules.length === 0 ? '' : ` ${rules.join(' ')}`
  if (canPush === false)
    return {
      check,
      ok: false,
      message: `${ref} is protected, and the credential may not push to it.${demands} Allow it at the host, or export to another branch.`,
    }
  if (isProtected && canPush === null)
    return {
      check,
      ok: true,
      message: `${ref} is protected.${demands} Exports work only if the credential may push all the same.`,
    }
  return {
    check,
    ok: true,
    message: isProtected
      ? `${ref} is protected, and the credential may push to it.`
      : `Nothing protects ${ref}, as far as the host tells.`,
  }
}
