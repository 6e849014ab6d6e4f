import postgres from 'postgres';
import { freshDatabase } from '#test/support/postgres.ts';

/** As notary's own migrations leave it: what its server and its signer know outlives them there. */
const tables = `
  create table tuf_files (
    id serial primary key,
    created_at timestamp, updated_at timestamp, deleted_at timestamp,
    gun varchar(255) not null,
    role varchar(255) not null,
    version integer not null,
    data bytea not null,
    sha256 char(64),
    unique (gun, role, version)
  );
  create index tuf_files_sha256_idx on tuf_files (sha256);
  create table change_category (category varchar(20) primary key);
  insert into change_category values ('update'), ('deletion');
  create table changefeed (
    id serial primary key,
    created_at timestamp default current_timestamp,
    gun varchar(255) not null,
    version integer not null,
    sha256 char(64),
    category varchar(20) not null default 'update' references change_category
  );
  create index idx_changefeed_gun on changefeed (gun);
  create table private_keys (
    id serial primary key,
    created_at timestamp, updated_at timestamp, deleted_at timestamp,
    key_id varchar(255) not null unique,
    encryption_alg varchar(255) not null,
    keywrap_alg varchar(255) not null,
    algorithm varchar(50) not null,
    passphrase_alias varchar(50) not null,
    public bytea not null,
    private bytea not null,
    gun varchar(255) not null,
    role varchar(255) not null,
    last_used timestamp
  );
`;

/** The URL of a database for a notary-server and its signer. */
export async function notaryStorage(): Promise<string> {
  const { url } = await freshDatabase({ isMigrated: false });
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(tables);
  } finally {
    await sql.end();
  }
  return url;
}
