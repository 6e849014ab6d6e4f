ALTER TABLE "restart_campaigns" ADD COLUMN "owner_api_version" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "restart_campaigns" ADD COLUMN "owner_kind" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "restart_campaigns" ADD COLUMN "owner_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "restart_campaigns" ADD COLUMN "tries" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "restart_intents" ADD COLUMN "evicted_at" timestamp with time zone;