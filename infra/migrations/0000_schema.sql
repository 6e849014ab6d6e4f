CREATE TABLE "backfills" (
	"cluster" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"function" text collate "C" NOT NULL,
	"fingerprint" text NOT NULL,
	"after" text collate "C" NOT NULL,
	"is_done" boolean NOT NULL,
	CONSTRAINT "backfills_cluster_scope_function_pk" PRIMARY KEY("cluster","scope","function")
);
--> statement-breakpoint
CREATE TABLE "clusters" (
	"cluster" text collate "C" PRIMARY KEY NOT NULL,
	"uid" text NOT NULL,
	"epoch" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "objects" (
	"cluster" text collate "C" NOT NULL,
	"api_group" text collate "C" NOT NULL,
	"resource" text collate "C" NOT NULL,
	"uid" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"namespace" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"epoch" integer NOT NULL,
	"resource_version" text NOT NULL,
	"generation" integer NOT NULL,
	"labels" jsonb NOT NULL,
	"owners" text[] NOT NULL,
	"keys" text[] NOT NULL,
	"terms" text[] NOT NULL,
	"body" json NOT NULL,
	"deleted_at" timestamp with time zone,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "objects_cluster_api_group_resource_uid_pk" PRIMARY KEY("cluster","api_group","resource","uid")
);
--> statement-breakpoint
CREATE TABLE "watches" (
	"cluster" text collate "C" NOT NULL,
	"scope" text collate "C" NOT NULL,
	"api_group" text collate "C" NOT NULL,
	"resource" text collate "C" NOT NULL,
	"holder" text,
	"term" bigint DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone DEFAULT now() NOT NULL,
	"epoch" integer NOT NULL,
	"generation" integer NOT NULL,
	"position" text NOT NULL,
	"resource_version" text,
	"changes" bigint DEFAULT 0 NOT NULL,
	"is_retired" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "watches_cluster_scope_pk" PRIMARY KEY("cluster","scope")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"function" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text collate "C",
	"attempt" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"sent_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "queue_dead" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queue_dead_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"function" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text collate "C",
	"attempt" integer NOT NULL,
	"merge_key" text,
	"received" integer NOT NULL,
	"why" text NOT NULL,
	"buried_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_groups" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queue_groups_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"function" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"head" bigint NOT NULL,
	"tail" bigint NOT NULL,
	"visible_at" timestamp with time zone NOT NULL,
	"is_claimed" boolean DEFAULT false NOT NULL,
	"claims" integer DEFAULT 0 NOT NULL,
	"received" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_messages" (
	"group_id" bigint NOT NULL,
	"position" bigint NOT NULL,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text collate "C",
	"attempt" integer NOT NULL,
	"merge_key" text,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "queue_messages_group_id_position_pk" PRIMARY KEY("group_id","position")
);
--> statement-breakpoint
CREATE TABLE "queue_sleepers" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "queue_sleepers_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"until_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "wakeups" (
	"function" text collate "C" NOT NULL,
	"key" text collate "C" NOT NULL,
	"reason" text NOT NULL,
	"merge_key" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"every_seconds" integer,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text collate "C",
	"attempt" integer NOT NULL,
	CONSTRAINT "wakeups_function_key_reason_merge_key_pk" PRIMARY KEY("function","key","reason","merge_key")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "objects_live_name" ON "objects" USING btree ("cluster","api_group","resource","namespace","name") WHERE "objects"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "objects_terms" ON "objects" USING gin ("terms") WITH (fastupdate=false) WHERE "objects"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "objects_tombstones" ON "objects" USING btree ("deleted_at") WHERE "objects"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "outbox_subject" ON "outbox" USING btree ("subject") WHERE "outbox"."subject" is not null;--> statement-breakpoint
CREATE INDEX "outbox_sent_at" ON "outbox" USING btree ("sent_at") WHERE "outbox"."sent_at" is not null;--> statement-breakpoint
CREATE INDEX "queue_dead_function" ON "queue_dead" USING btree ("function","id");--> statement-breakpoint
CREATE INDEX "queue_dead_subject" ON "queue_dead" USING btree ("subject") WHERE "queue_dead"."subject" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "queue_groups_function_key" ON "queue_groups" USING btree ("function","key");--> statement-breakpoint
CREATE INDEX "queue_groups_function_visible_at" ON "queue_groups" USING btree ("function","visible_at");--> statement-breakpoint
CREATE INDEX "queue_messages_merge_key" ON "queue_messages" USING btree ("group_id","merge_key") WHERE "queue_messages"."merge_key" is not null;--> statement-breakpoint
CREATE INDEX "queue_messages_subject" ON "queue_messages" USING btree ("subject") WHERE "queue_messages"."subject" is not null;--> statement-breakpoint
CREATE INDEX "wakeups_due_at" ON "wakeups" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "wakeups_subject" ON "wakeups" USING btree ("subject") WHERE "wakeups"."subject" is not null;
--> statement-breakpoint
ALTER TABLE objects SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
ALTER TABLE watches SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
--> statement-breakpoint
ALTER TABLE queue_groups SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE queue_messages SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE queue_sleepers SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);
--> statement-breakpoint
ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE wakeups SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
