/** Endpoints of the keys whose signatures on commits an organization accepts. */
import { findAllowedSigners, replaceAllowedSigners } from '../../domain/sites/allowed-signers.js'
import { parseSigners } from '../../domain/sites/signer-list.js'
import { AllowedSigners, type AllowedSignersDoc, UpdateAllowedSigners } from '../../model/index.js'
import { endpoint } from '../service.js'

const section = 'Organizations'
const path = '/v1/orgs/{organizationId}/allowed-signers'

const present = (doc: AllowedSignersDoc | null) => ({
  object: 'allowed-signers' as const,
  signers: doc?.signers ?? '',
  count: parseSigners(doc?.signers ?? '').keys.length,
  updatedAt: doc?.updatedAt ?? null,
})

export const getAllowedSignersOfOrganization = endpoint({
  method: 'GET',
  path,
  summary: 'Get the allowed signers of an organization',
  description:
    'The SSH and GPG keys whose signatures on commits count as verified on sites with `provenance`, with the addresses of the people who own them.',
  section,
  needs: 'organization:admin',
  returns: AllowedSigners,
  handle: async ({ app, organization }) => present(await findAllowedSigners(app.store, organization.doc.id)),
})

export const replaceAllowedSignersOfOrganization = endpoint({
  method: 'PUT',
  path,
  summary: 'Replace the allowed signers of an organization',
  description:
    'The list has the format of `gpg.ssh.allowedSignersFile` of Git, without patterns in addresses and without certificates. It may also contain GPG public ' +
    'keys (`gpg --armor --export`), each after a line with the addresses of its owner. At most 200 keys. A signature counts as verified if the list has its ' +
    'key with the address of the author or committer of the commit.',
  section,
  needs: 'organization:admin',
  body: UpdateAllowedSigners,
  returns: AllowedSigners,
  handle: async ({ app, actor, organization, body }) =>
    present(await replaceAllowedSigners(app, actor, organization, body.signers)),
})
