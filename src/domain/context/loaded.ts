// What the resolvers load for the IDs in a request's path. Use cases get these instead of IDs.
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type {
  ChangeRequestDoc,
  CollectionDoc,
  OrganizationDoc,
  Role,
  SiteDoc,
  SpaceDoc,
  TeamDoc,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { changeRequestRef } from './refs.js'

/** An organization that the caller may see, with their role in it (null = guest). */
export interface LoadedOrganization {
  doc: Document<OrganizationDoc>
  role: Role | null
}

/** A team of an organization. The role is the caller's in the organization, but `admin` for owners of the team. */
export interface LoadedTeam {
  doc: Document<TeamDoc>
  role: Role | null
}

/** A collection that the caller may see, with their role on it. */
export interface LoadedCollection {
  doc: Document<CollectionDoc>
  role: Role
}

/** A site that the caller may see, with their role on it. */
export interface LoadedSite {
  doc: Document<SiteDoc>
  role: Role
}

/** A space that the caller may see, with their role on it and its repository. */
export interface LoadedSpace {
  doc: Document<SpaceDoc>
  role: Role
  repo: Repository
}

/** A space in a list. The repository is null if it is missing or damaged: that space is out of service, and the others are still listed. */
export type ListedSpace = Omit<LoadedSpace, 'repo'> & { repo: Repository | null }

/** A space that the caller may see, without opening its repository. */
export type VisibleSpace = Omit<LoadedSpace, 'repo'>

/** A space's ID and repository: all that reading and writing its content needs, whoever asks. A `LoadedSpace` is one. */
export interface SpaceRepository {
  doc: Pick<SpaceDoc, 'id'>
  repo: Repository
}

/** A change request with the head of its branch. */
export interface LoadedChangeRequest {
  doc: Document<ChangeRequestDoc>
  head: CommitId
}

/** Adds the head of its branch. If an admin removed the branch: the last revision that the document knows. */
export function loadHead(space: LoadedSpace, doc: Document<ChangeRequestDoc>): LoadedChangeRequest {
  const head =
    space.repo.head(changeRequestRef(doc.number)) ?? ((doc.revisionMerged ?? doc.revisionInitial) as CommitId)
  return { doc, head }
}
