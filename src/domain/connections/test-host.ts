/** Tests the REST API of a connection's host: access for pull requests, and protection of the branch. */
import { type BranchProtection, type Host, HostError, type HostRepository } from '../../hosts/index.js'
import type { ConnectionDoc, ConnectionTest } from '../../model/index.js'
import type { App } from '../context/app.js'
import { hostAddressOf } from './credential.js'

type Check = ConnectionTest['checks'][number]

/**
 * Returns the checks that need the API. There are none if the remote has no API or the credential does not work with
 * it, unless the connection uses pull requests.
 */
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
  if (missing.length === 0) return { check: 'host', ok: true, message: 'The API of the host works.' }
  return {
    check: 'host',
    ok: false,
    message: `The credential lacks permissions for pull requests and statuses: ${missing.join(', ')}. Grant them at the host.`,
  }
}

async function pushChecks(
  host: Host,
  { archived }: HostRepository,
  { direction, ref }: ConnectionDoc,
): Promise<Check[]> {
  if (direction === 'import') return []
  if (archived)
    return [
      {
        check: 'protection',
        ok: false,
        message: 'The repository is archived and accepts no pushes. Unarchive it, or export to another repository.',
      },
    ]
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
      message: `${ref} is protected.${demands} Exports need a credential that is allowed to push to protected branches.`,
    }
  return {
    check,
    ok: true,
    message: isProtected
      ? `${ref} is protected, and the credential may push to it.`
      : `The host reports no protection of ${ref}.`,
  }
}
